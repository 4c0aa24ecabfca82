// A script of the head, so that no page shows the other theme first. The choice is kept for this browser.
{
  const root = document.documentElement;
  root.dataset.scripts = '';
  const system = matchMedia('(prefers-color-scheme: dark)');
  const apply = (/** @type {string | null} */ theme) => {
    if (theme === 'dark' || theme === 'light') root.dataset.theme = theme;
  };
  const read = () => {
    try {
      return localStorage.getItem('puente-theme');
    } catch {
      return null;
    }
  };
  apply(read());
  document.addEventListener('DOMContentLoaded', () => {
    document.getElementById('theme')?.addEventListener('click', () => {
      const isDark = (root.dataset.theme ?? (system.matches ? 'dark' : 'light')) === 'dark';
      const theme = isDark ? 'light' : 'dark';
      apply(theme);
      try {
        localStorage.setItem('puente-theme', theme);
      } catch {}
    });
  });
}
