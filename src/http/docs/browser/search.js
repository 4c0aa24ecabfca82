import { get, getAll } from './dom.js';

/** The search in the side bar: every word of it has to occur in an operation. */
export class Search {
  #input = get(document, '#search', HTMLInputElement);
  #found = get(document, '#found', HTMLElement);
  #menu = get(document, '#menu', HTMLElement);
  #entries = getAll(this.#menu, 'section li', HTMLElement).map((item) => {
    const link = get(item, 'a', HTMLAnchorElement);
    return { item, link, title: get(link, 'span', HTMLElement).textContent.toLowerCase(), text: collectText(link) };
  });

  constructor() {
    this.#input.addEventListener('input', () => this.#filter());
    this.#menu.addEventListener('keydown', (event) => this.#onKey(event));
  }

  focus() {
    this.#input.focus();
    this.#input.select();
  }

  #filter() {
    const words = this.#input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { item, text } of this.#entries) item.hidden = !words.every((word) => text.includes(word));
    for (const section of getAll(this.#menu, 'section', HTMLElement)) {
      section.hidden = section.querySelector('li:not([hidden])') === null;
    }
    for (const other of getAll(this.#menu, '.pages, h2', HTMLElement)) other.hidden = words.length > 0;
    const count = this.#shown.length;
    this.#found.textContent = words.length === 0 ? '' : count === 1 ? '1 operation' : `${count} operations`;
  }

  get #shown() {
    return this.#entries.filter(({ item }) => !item.hidden);
  }

  /** The first operation whose title has all the words, else the first one. */
  get #best() {
    const words = this.#input.value.toLowerCase().split(/\s+/).filter(Boolean);
    return this.#shown.find(({ title }) => words.every((word) => title.includes(word))) ?? this.#shown[0];
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const links = this.#shown.map(({ link }) => link);
    const { activeElement: focused } = document;
    const at = focused instanceof HTMLAnchorElement ? links.indexOf(focused) : -1;
    const isTyping = focused === this.#input;
    if (event.key === 'ArrowDown' && (isTyping || at >= 0)) (links[at + 1] ?? links.at(-1))?.focus();
    else if (event.key === 'ArrowUp' && at > 0) links[at - 1]?.focus();
    else if (event.key === 'ArrowUp' && at === 0) this.focus();
    else if (event.key === 'Enter' && isTyping) this.#best?.link.click();
    else if (event.key === 'Escape' && this.#input.value !== '') this.#clear(event);
    else return;
    event.preventDefault();
  }

  /** @param {KeyboardEvent} event */
  #clear(event) {
    // The menu of a telephone stays open the first time.
    event.stopPropagation();
    this.#input.value = '';
    this.#filter();
    this.focus();
  }
}

/**
 * What is searched of an operation: its names, its description, its path, its scope, its fields and its problems.
 * @param {HTMLAnchorElement} link
 */
function collectText(link) {
  const operation = document.getElementById(link.hash.slice(1));
  const section = link.closest('section')?.querySelector('h3')?.textContent ?? '';
  const names = operation
    ? getAll(operation, '.facts, .route, .reference > p, .additions li, .field', HTMLElement)
    : [];
  const words = names.map((each) => each.dataset.name ?? each.textContent);
  const problems = operation
    ? getAll(operation, '.problems > ul code', HTMLElement).map((code) => code.textContent)
    : [];
  return [link.textContent, section, ...words, ...problems].join(' ').toLowerCase();
}
