import { get, getAll, make, makeCopy } from './dom.js';

/** Of how many days the first slot is offered. */
const OFFERED_DAYS = 4;

/** Where an operation that found no free slot finds another one. */
const slotSearches = new Map([
  ['bookAppointment', 'searchAvailableAppointments'],
  ['createAppointment', 'getAvailableSlots'],
]);
const hasNoSlot = (/** @type {unknown} */ code) => code === 'slot_taken' || code === 'slot_unknown';

/**
 * What a person does after this answer of an operation: book one of the slots, search them again, or look at what was made.
 * @param {string} operationId
 * @param {string | null} location of what was made
 * @param {string} base
 * @param {Readonly<Record<string, unknown>> | undefined} body
 */
export function listNextSteps(operationId, location, base, body) {
  if (location !== null) return describeCreated(location, base);
  const search = findOperation(slotSearches.get(operationId));
  if (search && hasNoSlot(body?.code)) return [make('p', { class: 'next' }, 'Go on with it: ', linkTo(search, {}))];
  const slots = operationId === 'searchAvailableAppointments' ? body?.appointments : undefined;
  return Array.isArray(slots) ? offerSlots(slots) : [];
}

/**
 * The address of what was created, to copy, and links to the operations on it and on the list that it is in.
 * @param {string} location
 * @param {string} base
 */
function describeCreated(location, base) {
  const copy = make('button', { type: 'button', class: 'small' }, 'Copy its Location');
  makeCopy(copy, () => location);
  const path = location.startsWith(base) ? location.slice(base.length) : location;
  const list = path.slice(0, path.lastIndexOf('/'));
  const links = getAll(document, '.operation', HTMLElement).flatMap((operation) => {
    const { path: template = '', method } = operation.dataset;
    const values = matchPath(template, path) ?? (method === 'GET' ? matchPath(template, list) : undefined);
    return values ? [' ', linkTo(operation, nameControls('path', values))] : [];
  });
  return [make('p', { class: 'next' }, copy, ...(links.length > 0 ? [' Go on with it:', ...links] : []))];
}

/** Links to the booking of the first slot of each of the first days. @param {readonly Record<string, unknown>[]} slots */
function offerSlots(slots) {
  const booking = findOperation('bookAppointment');
  if (!booking || slots.length === 0) return [];
  const firsts = new Map(slots.toReversed().map((slot) => [String(slot.date).slice(0, 10), slot]));
  const links = [...firsts.values()]
    .reverse()
    .slice(0, OFFERED_DAYS)
    .flatMap((slot) => [' ', linkTo(booking, nameControls('body', slot), formatTime(String(slot.date)))]);
  return [make('p', { class: 'next' }, `${get(booking, 'h3', HTMLElement).textContent}:`, ...links)];
}

/** To the minute. @param {string} date */
const formatTime = (date) => date.slice(0, 16).replace('T', ' ');

/** @param {string | undefined} id */
const findOperation = (id) => getAll(document, '.operation', HTMLElement).find((operation) => operation.id === id);

/** @param {'path' | 'body'} place @param {Readonly<Record<string, unknown>>} values */
const nameControls = (place, values) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${place}-${name}`, value]));

/**
 * A link to an operation, which fills in those of the values that its form has a control for.
 * @param {HTMLElement} operation
 * @param {Readonly<Record<string, unknown>>} values by the control
 */
function linkTo(operation, values, text = get(operation, 'h3', HTMLElement).textContent) {
  const link = make('a', { href: `#${operation.id}` }, text);
  link.addEventListener('click', () => {
    for (const [name, value] of Object.entries(values)) {
      const control = document.getElementById(`${operation.id}-${name}`);
      if (!(control instanceof HTMLInputElement)) continue;
      control.value = String(value);
      control.dispatchEvent(new Event('input', { bubbles: true }));
    }
  });
  return link;
}

/**
 * The parameters of a path that the template matches; undefined when it does not, or has none.
 * @param {string} template
 * @param {string} path
 */
export function matchPath(template, path) {
  const names = [...template.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
  const parts = template.split(/\{[^}]+\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const found = new RegExp(`^${parts.join('([^/]+)')}$`).exec(path);
  if (!found || names.length === 0) return undefined;
  return Object.fromEntries(names.map((name, i) => [name, decodeURIComponent(found[i + 1] ?? '')]));
}
