import { get, getAll, make, makeCopy } from './dom.js';

/**
 * The address of what was created, to copy, and links to the operations on it, which fill in their paths.
 * @param {string | null} location
 * @param {string} base
 */
export function describeCreated(location, base) {
  if (location === null) return [];
  const copy = make('button', { type: 'button', class: 'small' }, 'Copy its Location');
  makeCopy(copy, () => location);
  const path = location.startsWith(base) ? location.slice(base.length) : location;
  const links = getAll(document, '.operation', HTMLElement).flatMap((operation) => {
    const values = matchPath(operation.dataset.path ?? '', path);
    return values ? [' ', linkTo(operation, values)] : [];
  });
  return [make('p', { class: 'created' }, copy, ...(links.length > 0 ? [' Go on with it:', ...links] : []))];
}

/** @param {HTMLElement} operation @param {Readonly<Record<string, string>>} values */
function linkTo(operation, values) {
  const link = make('a', { href: `#${operation.id}` }, get(operation, 'h3', HTMLElement).textContent);
  link.addEventListener('click', () => {
    for (const [name, value] of Object.entries(values)) {
      const control = get(operation, `#${CSS.escape(`${operation.id}-path-${name}`)}`, HTMLInputElement);
      control.value = value;
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
