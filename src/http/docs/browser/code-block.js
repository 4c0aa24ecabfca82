import { make } from './dom.js';
import { splitCode } from './highlight.js';

/** Longer texts are shown without colors. */
const LONGEST_COLORED = 100_000;

/**
 * Shows a text in an element, its parts colored by what they are.
 * @param {Element} element
 * @param {string} text
 */
export function showCode(element, text) {
  if (text.length > LONGEST_COLORED) element.textContent = text;
  else
    element.replaceChildren(
      ...splitCode(text).map(([kind, part]) => (kind ? make('span', { class: kind }, part) : part)),
    );
}
