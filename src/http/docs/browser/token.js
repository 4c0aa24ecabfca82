import { get } from './dom.js';

const name = 'puente-token';

/** The token field; what is typed into it is kept for this tab and gone with it. */
export class TokenField {
  #input = get(document, '#token', HTMLInputElement);

  constructor() {
    const show = get(document, '#token-show', HTMLButtonElement);
    try {
      this.#input.value = sessionStorage.getItem(name) ?? '';
      this.#input.addEventListener('input', () => sessionStorage.setItem(name, this.value));
    } catch {
      get(document, '#token-hint', HTMLElement).textContent = 'Kept until this page is left.';
    }
    show.addEventListener('click', () => {
      const isShown = this.#input.type === 'text';
      this.#input.type = isShown ? 'password' : 'text';
      show.setAttribute('aria-pressed', String(!isShown));
    });
  }

  /** Without what is often copied along with it. */
  get value() {
    return this.#input.value.trim().replace(/^(Authorization: *)?Bearer +/i, '');
  }
}
