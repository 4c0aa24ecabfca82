import { get, getAll } from './dom.js';

/** @typedef {HTMLInputElement | HTMLSelectElement} Control */

/**
 * What a field says, undefined when it is left out.
 * @param {HTMLElement} field
 */
export const getControl = (field) => /** @type {Control | null} */ (field.querySelector(':scope > .control'));

/** @param {Element} container */
const listFields = (container) => getAll(container, ':scope > .field', HTMLElement);
/** @param {Element} field */
const findObject = (field) => field.querySelector(':scope > fieldset > [data-object]');
/** @param {Element} field */
const findItems = (field) => field.querySelector(':scope > fieldset > [data-items]');

/**
 * The object that the fields of a group say; what is left empty is left out.
 * @param {Element} container
 * @returns {Record<string, unknown>}
 */
export function readObject(container) {
  const entries = listFields(container).map((field) => [field.dataset.name ?? '', readField(field)]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** @param {HTMLElement} field */
function readField(field) {
  const inner = findObject(field);
  const items = findItems(field);
  if (items) return dropEmpty([...items.children].map(readObject).filter(dropEmpty));
  return inner ? dropEmpty(readObject(inner)) : readControl(field);
}

/**
 * @template {object} T
 * @param {T} value
 */
const dropEmpty = (value) => (Object.keys(value).length > 0 ? value : undefined);

/** @param {HTMLElement} field */
function readControl(field) {
  const text = getControl(field)?.value ?? '';
  if (text === '') return field.dataset.null === undefined ? undefined : null;
  switch (field.dataset.kind) {
    case 'boolean':
      return text === 'true';
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(text) && Number.isSafeInteger(Math.trunc(Number(text))) ? Number(text) : text;
    case 'list':
      return text
        .split(',')
        .map((each) => each.trim())
        .filter(Boolean);
    default:
      return text;
  }
}

/**
 * Puts an object into the fields of a group.
 * @param {Element} container
 * @param {unknown} value
 */
export function fillObject(container, value) {
  const values = new Map(Object.entries(typeof value === 'object' && value ? value : {}));
  for (const field of listFields(container)) fillField(field, values.get(field.dataset.name ?? ''));
}

/**
 * @param {HTMLElement} field
 * @param {unknown} value
 */
function fillField(field, value) {
  const inner = findObject(field);
  const items = findItems(field);
  if (inner) return fillObject(inner, value);
  if (items) return fillItems(items, Array.isArray(value) ? value : []);
  const control = getControl(field);
  if (!control) return;
  field.toggleAttribute('data-null', value === null);
  control.value = Array.isArray(value) ? value.join(', ') : String(value ?? '');
}

/**
 * @param {Element} items
 * @param {readonly unknown[]} values
 */
function fillItems(items, values) {
  while (items.children.length > Math.max(values.length, 1)) items.lastElementChild?.remove();
  while (items.children.length < values.length) addItem(items);
  for (const [i, item] of [...items.children].entries()) fillObject(item, values[i]);
}

let copies = 0;

/**
 * One more group of fields at the end of a list, empty.
 * @param {Element} items
 */
export function addItem(items) {
  const [first] = items.children;
  if (!first) throw new Error('a list has a group to copy');
  const item = /** @type {Element} */ (first.cloneNode(true));
  copies += 1;
  for (const named of item.querySelectorAll('[id], [for], [aria-describedby]')) {
    for (const attribute of ['id', 'for', 'aria-describedby']) {
      const value = named.getAttribute(attribute);
      if (value) named.setAttribute(attribute, `${value}-copy${copies}`);
    }
  }
  items.append(item);
  fillObject(item, {});
  return item;
}

/**
 * The field at a JSON pointer (RFC 6901), or the nearest one above it.
 * @param {Element} container
 * @param {string} pointer
 */
export function findField(container, pointer) {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  /** @type {Element | null} */
  let group = container;
  /** @type {HTMLElement | undefined} */
  let found;
  for (const step of steps) {
    const field = group && listFields(group).find((each) => each.dataset.name === step);
    const items = found && findItems(found);
    if (!field && items) {
      group = items.children[Number(step)] ?? null;
      continue;
    }
    if (!field) break;
    found = field;
    group = findObject(field);
  }
  return found;
}

/**
 * The first control in a field.
 * @param {Element} field
 */
export const getFirstControl = (field) => get(field, '.control', HTMLElement);
