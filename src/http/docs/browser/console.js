import { showAnswer, showFailure } from './answer.js';
import { get } from './dom.js';
import { toCurl } from './snippets.js';

/** Sends what the form of one operation says, and shows what comes back. */
export class Console {
  /** @param {HTMLElement} operation @param {import('./request-form.js').RequestForm} form @param {{ base: string, origin: string, institution: string | undefined, token: import('./token.js').TokenField }} surroundings */
  constructor(operation, form, surroundings) {
    this.form = form;
    this.surroundings = surroundings;
    this.live = get(operation, '.live', HTMLElement);
    this.button = get(operation, '.send button', HTMLButtonElement);
    form.form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.send();
    });
  }

  /** @param {string} [repeatedKey] the key of a request that is sent again as it was */
  async send(repeatedKey) {
    const { form, surroundings } = this;
    if (this.button.ariaDisabled === 'true' || !this.#isReady()) return;
    const request = form.read(repeatedKey ?? crypto.randomUUID?.() ?? String(Date.now()));
    const body = form.readBody();
    const { value: token } = surroundings.token;
    const headers = new Headers({
      Accept: 'application/json',
      ...(request.write && { 'Idempotency-Key': request.key }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    });
    const sent = { request: { ...request, keyChosen: true }, curl: toCurl(request, surroundings.origin), token };
    form.clearFaults();
    this.button.ariaDisabled = 'true';
    this.live.hidden = false;
    this.live.textContent = 'Sending…';
    const start = performance.now();
    try {
      if (request.authorized && token !== '') headers.set('Authorization', `Bearer ${token}`);
      const response = await fetch(surroundings.base + request.path, {
        method: request.method,
        headers,
        cache: 'no-store',
        ...(body !== undefined && { body }),
      });
      const text = await response.text();
      const milliseconds = Math.round(performance.now() - start);
      showAnswer(this.live, { response, text, milliseconds, ...sent }, this);
    } catch (error) {
      showFailure(this.live, error instanceof Error ? error.message : String(error), sent.curl);
    } finally {
      this.button.ariaDisabled = null;
    }
    this.live.scrollIntoView({ block: 'nearest' });
  }

  /** Sends the same request with the same key, as a program does that lost the response. */
  repeat(/** @type {string} */ key) {
    this.send(key);
  }

  /** Whether it has an address and, where the data are real, somebody who wants it. */
  #isReady() {
    const missing = this.form.findMissing();
    this.form.clearFaults();
    if (missing) {
      this.form.showFault(missing, 'is part of the path: give a value');
      missing.querySelector('input')?.focus();
      return false;
    }
    const { institution } = this.surroundings;
    const isWrite = this.form.operation.dataset.write !== undefined;
    return !isWrite || institution === undefined || confirm(`This changes data of ${institution}. Send it?`);
  }
}
