import { get, getAll } from './dom.js';

/** Opens and closes the menu on small screens, marks in it what is being read, and goes to the search with `/`. */
export function startNavigation(/** @type {import('./search.js').Search} */ search) {
  const menu = get(document, '#menu', HTMLElement);
  const button = get(document, '#menu-button', HTMLButtonElement);
  const setOpen = (/** @type {boolean} */ isOpen) => {
    document.documentElement.toggleAttribute('data-menu', isOpen);
    button.setAttribute('aria-expanded', String(isOpen));
  };
  const isOpen = () => button.getAttribute('aria-expanded') === 'true';
  button.addEventListener('click', () => {
    setOpen(!isOpen());
    if (isOpen()) search.focus();
  });
  menu.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a')) setOpen(false);
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && isOpen()) {
      setOpen(false);
      button.focus();
      return;
    }
    const field = event.target instanceof Element ? event.target.closest('input, select, textarea') : null;
    // Then a slash is no part of a value any more.
    if (event.key === 'Escape' && field instanceof HTMLElement) field.blur();
    // Whoever has pasted a token goes on; nobody types one.
    const isPastToken = field?.id === 'token' && (event.key === '/' || event.key === 'Enter');
    if (!isPastToken && (event.key !== '/' || field)) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (button.offsetParent !== null) setOpen(true);
    search.focus();
  });
  markCurrent(menu);
}

/** @param {HTMLElement} menu */
function markCurrent(menu) {
  const links = new Map(getAll(menu, 'a', HTMLAnchorElement).map((link) => [link.hash.slice(1), link]));
  const observer = new IntersectionObserver(
    (entries) => {
      const seen = entries.find(({ isIntersecting }) => isIntersecting);
      if (!seen) return;
      for (const link of links.values()) link.removeAttribute('aria-current');
      const link = links.get(seen.target.id);
      link?.setAttribute('aria-current', 'true');
      if (link && !menu.contains(document.activeElement)) scrollWithin(menu, link);
    },
    { rootMargin: '-20% 0px -75% 0px' },
  );
  for (const id of links.keys()) {
    const target = document.getElementById(id);
    if (target?.matches('.operation, #introduction')) observer.observe(target);
  }
}

/** Scrolls the menu alone: `scrollIntoView` would move the page too. @param {HTMLElement} menu @param {HTMLElement} link */
function scrollWithin(menu, link) {
  const box = menu.getBoundingClientRect();
  const { top, bottom } = link.getBoundingClientRect();
  if (top < box.top + 150) menu.scrollTop -= box.top + 150 - top;
  else if (bottom > box.bottom - 40) menu.scrollTop += bottom - box.bottom + 40;
}
