import { showCode } from './code-block.js';
import { get, getAll, makeCopy } from './dom.js';
import { makeKey } from './request-form.js';
import { toCurl, toPython, toTypeScript } from './snippets.js';

/** @type {ReadonlyMap<string | undefined, typeof toCurl>} */
const writers = new Map([
  ['curl', toCurl],
  ['typescript', toTypeScript],
  ['python', toPython],
]);

const remembered = 'puente-language';

/** The request of one operation in three languages, as its form says it. */
export class SnippetPanel {
  /** @param {HTMLElement} operation @param {import('./request-form.js').RequestForm} form @param {string} base */
  constructor(operation, form, base) {
    this.form = form;
    this.base = base;
    this.snippets = getAll(operation, '[data-snippet]', HTMLElement);
    const panel = get(operation, '.snippets', HTMLElement);
    for (const button of getAll(panel, '[data-language]', HTMLButtonElement)) {
      button.addEventListener('click', () => chooseLanguage(button.dataset.language));
    }
    makeCopy(get(panel, '.copy', HTMLButtonElement), () => {
      const shown = this.snippets.find((each) => each.dataset.snippet === document.documentElement.dataset.language);
      return shown?.textContent ?? '';
    });
  }

  /** Writes the snippets anew, with a new key: another content needs one. */
  update() {
    const request = this.form.read(makeKey());
    for (const snippet of this.snippets) {
      const write = writers.get(snippet.dataset.snippet) ?? toCurl;
      showCode(get(snippet, 'code', HTMLElement), write(request, this.base));
    }
  }
}

/**
 * Shows all snippets of the page in one language, also when the page is opened again.
 * @param {string | undefined} language
 */
export function chooseLanguage(language) {
  const known = writers.has(language) && language ? language : 'curl';
  document.documentElement.dataset.language = known;
  for (const button of getAll(document, '[data-language]', HTMLButtonElement)) {
    button.setAttribute('aria-pressed', String(button.dataset.language === known));
  }
  try {
    localStorage.setItem(remembered, known);
  } catch {}
}

/** The language that was chosen last in this browser. */
export function readLanguage() {
  try {
    return localStorage.getItem(remembered) ?? undefined;
  } catch {
    return undefined;
  }
}
