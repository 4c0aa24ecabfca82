import { showAnswer, showFailure } from './answer.js';
import { get } from './dom.js';
import { makeKey } from './request-form.js';
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
      this.#submit();
    });
  }

  #submit() {
    if (!this.#isReady()) return;
    const request = this.form.read(makeKey());
    this.#send(request, this.form.readBody());
  }

  /** @param {import('./snippets.js').ApiRequest} request @param {string | undefined} body */
  async #send(request, body) {
    if (this.button.ariaDisabled === 'true') return;
    const { form, live, surroundings } = this;
    const { value: token } = surroundings.token;
    const curl = toCurl(request, surroundings.origin);
    form.clearFaults();
    if (/[^\x21-\x7e]/.test(token)) {
      live.hidden = false;
      return showFailure(live, { message: 'the token has characters that no token has; copy it again', curl });
    }
    this.button.ariaDisabled = 'true';
    live.hidden = false;
    live.textContent = 'Sending…';
    const start = performance.now();
    try {
      const { method, path } = request;
      const headers = listHeaders(request, body, token);
      const response = await fetch(surroundings.base + path, {
        method,
        headers,
        cache: 'no-store',
        body: body ?? null,
      });
      const text = await response.text();
      const milliseconds = Math.round(performance.now() - start);
      const repeat = () => this.#send(request, body);
      showAnswer(live, { response, text, milliseconds, request, curl, token, base: surroundings.base, repeat }, form);
    } catch (error) {
      const repeat = request.write ? () => this.#send(request, body) : undefined;
      showFailure(live, { message: error instanceof Error ? error.message : String(error), curl, repeat });
    } finally {
      this.button.ariaDisabled = null;
    }
    // The first line alone: all of a long answer would push away what was pressed.
    live.firstElementChild?.scrollIntoView({ block: 'nearest' });
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

/**
 * @param {import('./snippets.js').ApiRequest} request
 * @param {string | undefined} body
 * @param {string} token
 */
const listHeaders = ({ write, key, authorized }, body, token) =>
  new Headers({
    Accept: 'application/json',
    ...(write && { 'Idempotency-Key': key }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(authorized && token !== '' && { Authorization: `Bearer ${token}` }),
  });
