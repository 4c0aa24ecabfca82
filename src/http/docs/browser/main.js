import { showCode } from './code-block.js';
import { Console } from './console.js';
import { get, getAll } from './dom.js';
import { startNavigation } from './navigation.js';
import { RequestForm } from './request-form.js';
import { Search } from './search.js';
import { chooseLanguage, readLanguage, SnippetPanel } from './snippet-panel.js';
import { TokenField } from './token.js';

const { base = '', institution } = get(document, '.frame', HTMLElement).dataset;
const origin = location.origin + base;
const token = new TokenField();

/** What is done when an operation comes near the window, so that a page of dozens opens at once. */
const prepare = (/** @type {HTMLElement} */ operation) => {
  const form = new RequestForm(operation);
  const panel = new SnippetPanel(operation, form, origin);
  form.onChange = () => panel.update();
  panel.update();
  for (const code of getAll(operation, '.example code', HTMLElement)) showCode(code, code.textContent);
  new Console(operation, form, { base, origin, institution, token });
};

const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting || !(target instanceof HTMLElement)) continue;
      observer.unobserve(target);
      prepare(target);
    }
  },
  { rootMargin: '1000px' },
);
for (const operation of getAll(document, '.operation', HTMLElement)) observer.observe(operation);

chooseLanguage(readLanguage());
startNavigation(new Search());

/** The explanation of a problem opens where the reader is. */
const explanation = get(document, '#explanation', HTMLDialogElement);
document.addEventListener('click', (event) => {
  if (event.target === explanation) return explanation.close();
  const link = event.target instanceof Element ? event.target.closest('a.problem') : null;
  const target = link instanceof HTMLAnchorElement && document.getElementById(link.hash.slice(1));
  if (!target || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const copy = target.cloneNode(true);
  if (copy instanceof HTMLElement) copy.removeAttribute('id');
  const close = document.createElement('button');
  close.type = 'button';
  close.autofocus = true;
  close.textContent = 'Close';
  close.addEventListener('click', () => explanation.close());
  explanation.replaceChildren(copy, close);
  explanation.showModal();
});
