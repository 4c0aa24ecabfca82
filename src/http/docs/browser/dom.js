/**
 * The one element of a kind that a selector finds.
 * @template {Element} T
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => T} kind
 * @returns {T}
 */
export function get(root, selector, kind) {
  const found = root.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`the page has no ${selector}`);
  return found;
}

/**
 * All elements of a kind that a selector finds.
 * @template {Element} T
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => T} kind
 * @returns {T[]}
 */
export const getAll = (root, selector, kind) =>
  [...root.querySelectorAll(selector)].flatMap((each) => (each instanceof kind ? [each] : []));

/**
 * A new element; text becomes text, never markup.
 * @param {string} tag
 * @param {Readonly<Record<string, string>>} attributes
 * @param {(Node | string)[]} children
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/**
 * A button that copies a text and says so.
 * @param {HTMLElement} button
 * @param {() => string} getText
 */
export function makeCopy(button, getText) {
  const label = button.textContent;
  button.addEventListener('click', async () => {
    button.textContent = (await copy(getText())) ? 'Copied' : 'Not copied';
    setTimeout(() => {
      button.textContent = label;
    }, 1500);
  });
}

/** @param {string} text */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/**
 * The clipboard is for pages over HTTPS and of this machine; elsewhere a selection is copied.
 * @param {string} text
 */
function copySelected(text) {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'unseen';
  document.body.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  return done;
}
