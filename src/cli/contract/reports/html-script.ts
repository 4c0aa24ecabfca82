/** The script of the HTML report: the filter, the keys and the copying. Without it, all can be read. */
export const script = `
'use strict';
(() => {
  const cases = [...document.querySelectorAll('.case')].map((node) => ({ node, text: node.textContent.toLowerCase() }));
  const input = document.getElementById('filter');
  const buttons = [...document.querySelectorAll('[data-show]')];
  let outcome = '';
  const apply = () => {
    const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let shown = 0;
    for (const { node, text } of cases) {
      const fits = (outcome === '' || node.dataset.outcome === outcome) && words.every((word) => text.includes(word));
      node.hidden = !fits;
      if (fits) shown++;
    }
    for (const port of document.querySelectorAll('.port')) port.hidden = !port.querySelector('.case:not([hidden])');
    document.getElementById('none').hidden = shown > 0;
  };
  const show = (button) => {
    outcome = button.dataset.show;
    for (const each of buttons) each.setAttribute('aria-pressed', String(each === button));
    apply();
  };
  const move = (step) => {
    const shown = cases.filter(({ node }) => !node.hidden).map(({ node }) => node.querySelector('summary'));
    const at = shown.indexOf(document.activeElement);
    const next = shown[at < 0 ? (step > 0 ? 0 : shown.length - 1) : at + step];
    if (next) { next.focus(); next.scrollIntoView({ block: 'nearest' }); }
  };
  const copy = async (button) => {
    const code = button.parentElement.querySelector('.curl');
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      getSelection().selectAllChildren(code);
      document.execCommand('copy');
    }
    button.textContent = 'copied';
    setTimeout(() => { button.textContent = 'copy as curl'; }, 1500);
  };
  input.addEventListener('input', apply);
  document.addEventListener('click', ({ target }) => {
    if (target.matches('[data-show]')) show(target);
    if (target.matches('.copy')) copy(target);
  });
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === input) {
      if (event.key === 'Escape') { input.value = ''; apply(); input.blur(); }
      return;
    }
    if (event.key === '/') { event.preventDefault(); input.focus(); }
    if (event.key === 'j') move(1);
    if (event.key === 'k') move(-1);
    if (/^[1-4]$/.test(event.key)) show(buttons[event.key - 1]);
  });
})();
`;
