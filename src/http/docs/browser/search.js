import { get, getAll } from './dom.js';

/** Words that say nothing of what is searched. */
const fillers = new Set(['a', 'an', 'and', 'at', 'by', 'for', 'from', 'in', 'my', 'of', 'on', 'the', 'to', 'with']);
/** What people call what the API has another word for. */
const synonyms = new Map([
  ['reserve', 'book'],
  ['schedule', 'book'],
  ['doctor', 'practitioner'],
  ['physician', 'practitioner'],
  ['médico', 'practitioner'],
  ['paciente', 'patient'],
  ['turno', 'appointment'],
  ['see', 'get'],
  ['show', 'get'],
]);

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
    const words = this.#words;
    for (const { item, text } of this.#entries) item.hidden = !words.every((word) => includesWord(text, word));
    for (const section of getAll(this.#menu, 'section', HTMLElement)) {
      section.hidden = section.querySelector('li:not([hidden])') === null;
    }
    for (const other of getAll(this.#menu, '.pages, h2', HTMLElement)) other.hidden = words.length > 0;
    const count = this.#shown.length;
    const none = 'No operation has all these words; take one away.';
    this.#found.textContent =
      words.length === 0 ? '' : count === 0 ? none : count === 1 ? '1 operation' : `${count} operations`;
  }

  get #words() {
    const words = this.#input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const meant = words.filter((word) => !fillers.has(word));
    return meant.length > 0 ? meant : words;
  }

  get #shown() {
    return this.#entries.filter(({ item }) => !item.hidden);
  }

  /** The first operation whose title has all the words, else the first one. */
  get #best() {
    const words = this.#words;
    return this.#shown.find(({ title }) => words.every((word) => includesWord(title, word))) ?? this.#shown[0];
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

/** @param {string} text @param {string} word */
const includesWord = (text, word) => text.includes(word) || text.includes(synonyms.get(word) ?? word);

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
