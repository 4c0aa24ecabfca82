import { get, getAll, make } from './dom.js';
import { addItem, fillObject, findField, getControl, getFirstControl, readObject } from './request-body.js';
import { buildPath } from './snippets.js';

/** The form of one operation: what its fields say, as a request. */
export class RequestForm {
  /** @param {HTMLElement} operation */
  constructor(operation) {
    this.operation = operation;
    this.form = get(operation, 'form', HTMLFormElement);
    this.body = this.form.querySelector('[data-in=body] > [data-object]');
    this.json = this.form.querySelector('textarea');
    /** The files that stand in the body, by the text that stands for them. @type {Map<string, string>} */
    this.files = new Map();
    // A link may have filled in fields before the form was looked at.
    this.#writeJson();
    this.#listen();
  }

  /** Calls back after every change. */
  onChange = () => {};

  #listen() {
    this.form.addEventListener('input', ({ target }) => {
      if (target === this.json) this.#fillFields();
      else this.#writeJson();
      this.onChange();
    });
    this.form.addEventListener('change', ({ target }) => {
      if (target instanceof HTMLInputElement && target.type === 'file') this.#readFile(target);
    });
    this.form.addEventListener('click', ({ target }) => {
      const button = target instanceof Element ? target.closest('button') : null;
      if (button?.dataset.add !== undefined) this.#addItem(button.previousElementSibling);
      if (button?.dataset.remove !== undefined) this.#removeItem(button.parentElement);
    });
    this.form.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) this.form.requestSubmit();
    });
  }

  /** @param {Element | null} items */
  #addItem(items) {
    if (items) getFirstControl(addItem(items)).focus();
  }

  /** The only group of a list stays, empty. @param {Element | null} item */
  #removeItem(item) {
    if (!item) return;
    const next = item.nextElementSibling ?? item.previousElementSibling;
    if (next) item.remove();
    else fillObject(item, {});
    getFirstControl(next ?? item).focus();
    this.#writeJson();
    this.onChange();
  }

  #writeJson() {
    if (this.body && this.json) {
      this.json.value = JSON.stringify(readObject(this.body), null, 2);
      this.#sayFault('');
    }
  }

  #fillFields() {
    if (!this.body || !this.json) return;
    try {
      fillObject(this.body, JSON.parse(this.json.value));
      this.#sayFault('');
    } catch {
      this.#sayFault('This is not JSON yet; it is sent as it stands.');
    }
  }

  /** @param {string} text */
  #sayFault(text) {
    const fault = this.form.querySelector('.json-fault');
    if (fault) fault.textContent = text;
  }

  /** @param {HTMLInputElement} input */
  async #readFile(input) {
    const [file] = input.files ?? [];
    const field = input.closest('.field');
    const control = field instanceof HTMLElement ? getControl(field) : null;
    if (!file || !control) return;
    const bytes = new Uint8Array(await file.arrayBuffer());
    let binary = '';
    for (let i = 0; i < bytes.length; i += 0x8000) binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
    control.value = `<${file.name} in base64>`;
    this.files.set(control.value, btoa(binary));
    this.#writeJson();
    this.onChange();
  }

  /**
   * The parameters of one place that are given.
   * @param {string} place
   * @returns {(readonly [name: string, value: string])[]}
   */
  #read(place) {
    return this.#listFields(place)
      .map((field) => /** @type {const} */ ([field.dataset.name ?? '', getControl(field)?.value ?? '']))
      .filter(([, value]) => value !== '');
  }

  /** @param {string} place */
  #listFields(place) {
    return getAll(this.form, `[data-in=${place}] > .field`, HTMLElement);
  }

  /** The body as text, a file as the text that stands for it. */
  get #text() {
    return this.json?.value;
  }

  /**
   * The request, for the snippets.
   * @param {string} sampleKey
   * @returns {import('./snippets.js').ApiRequest}
   */
  read(sampleKey) {
    const { method = '', path = '', authorized, write } = this.operation.dataset;
    const [, key] = this.#read('header').find(([name]) => name === 'Idempotency-Key') ?? [];
    const text = this.#text;
    return {
      method,
      path: buildPath(path, Object.fromEntries(this.#read('path')), this.#read('query')),
      authorized: authorized !== undefined,
      write: write !== undefined,
      key: key ?? sampleKey,
      keyChosen: key !== undefined,
      ...(text !== undefined && { body: parseOr(text) }),
    };
  }

  /** The body as it is sent, with its files. */
  readBody() {
    const text = this.#text;
    if (text === undefined || this.files.size === 0) return text;
    const replace = (/** @type {string} */ _key, /** @type {unknown} */ value) =>
      (typeof value === 'string' && this.files.get(value)) || value;
    try {
      return JSON.stringify(JSON.parse(text), replace);
    } catch {
      return text;
    }
  }

  /** The first parameter of the path without a value: without it, the path is another one. */
  findMissing() {
    return this.#listFields('path').find((field) => getControl(field)?.value === '');
  }

  /**
   * The field that a fault of a problem is about.
   * @param {string} place
   * @param {string} pointer
   */
  findField(place, pointer) {
    if (place === 'body') return this.body ? findField(this.body, pointer) : undefined;
    return this.#listFields(place).find((field) => `/${field.dataset.name}` === pointer);
  }

  /** Takes back what was said of single fields. */
  clearFaults() {
    for (const fault of getAll(this.form, '.fault', HTMLElement)) fault.remove();
    for (const control of getAll(this.form, '[aria-invalid]', HTMLElement)) {
      control.removeAttribute('aria-invalid');
      describe(
        control,
        listDescriptions(control).filter((id) => !id.endsWith(faultEnd)),
      );
    }
  }

  /**
   * Says at a field what is wrong with it.
   * @param {HTMLElement} field
   * @param {string} message
   */
  showFault(field, message) {
    const control = getFirstControl(field);
    const id = control.id + faultEnd;
    control.setAttribute('aria-invalid', 'true');
    describe(control, [...listDescriptions(control), id]);
    field.append(make('p', { class: 'fault', id }, message));
  }
}

const faultEnd = '-fault';

/** @param {Element} control */
const listDescriptions = (control) => control.getAttribute('aria-describedby')?.split(' ') ?? [];

/** @param {Element} control @param {readonly string[]} ids */
function describe(control, ids) {
  if (ids.length > 0) control.setAttribute('aria-describedby', ids.join(' '));
  else control.removeAttribute('aria-describedby');
}

/** @param {string} text */
function parseOr(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** An `Idempotency-Key` that nobody else has; browsers make a UUID only for pages over HTTPS and of this machine. */
export const makeKey = () =>
  crypto.randomUUID?.() ?? [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16)).join('-');
