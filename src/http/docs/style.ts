const light = `
  color-scheme: light;
  --background: #fbfaf7;
  --surface: #fff;
  --code: #f2f1ec;
  --text: #1d2b2a;
  --text-muted: #556563;
  --border: #dcded8;
  --control: #868f8b;
  --accent: #0b6e63;
  --on-accent: #fff;
  --failed: #b3261e;
  --write: #8a5300;
  --key: #0b5a86;
  --string: #1f6b2e;
  --number: #8a3b00;
`;

const dark = `
  color-scheme: dark;
  --background: #16191b;
  --surface: #1e2325;
  --code: #121516;
  --text: #e6e9e6;
  --text-muted: #a3aeab;
  --border: #343b3e;
  --control: #737d80;
  --accent: #5cc8b8;
  --on-accent: #08211d;
  --failed: #ff9d94;
  --write: #f0b866;
  --key: #8ecbf0;
  --string: #a5d69a;
  --number: #f0b383;
`;

/** The style sheet of the gateway's own pages, light and dark. */
export const style = `
:root {${light}}
@media (prefers-color-scheme: dark) { :root:not([data-theme='light']) {${dark}} }
:root[data-theme='dark'] {${dark}}
* { box-sizing: border-box; }
body { margin: 0; background: var(--background); color: var(--text); font: 16px/1.6 system-ui, sans-serif; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
main:focus { outline: none; }
.skip { position: absolute; left: -100vw; z-index: 9; padding: 0.5rem 1rem; background: var(--surface); }
.skip:focus { left: 0.5rem; top: 0.5rem; }
body > header {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 0.25rem 1.5rem;
  padding: 0.6rem 20px;
  border-bottom: 1px solid var(--border);
}
header .name { font-size: 1.3rem; font-weight: 700; text-decoration: none; }
header nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; font-size: 0.95rem; }
#theme { margin-left: auto; padding: 0.2rem 0.6rem; }
button {
  padding: 0.3rem 0.8rem;
  border: 1px solid var(--border);
  border-radius: 6px;
  background: var(--surface);
  color: var(--text);
  font: inherit;
  font-size: 0.9rem;
  cursor: pointer;
}
button:hover { border-color: var(--accent); }
.text { max-width: 54rem; margin: 0 auto; padding: 2rem 20px 4rem; }
h1 { margin: 0 0 1rem; line-height: 1.25; }
h2 { margin: 2.5rem 0 0.5rem; font-size: 1.2rem; }
.absent { color: var(--text-muted); font-size: 0.9em; }
.status { margin: 0; color: var(--accent); font-size: 1.1rem; font-weight: 700; }
code { font: 0.92em ui-monospace, monospace; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.45rem 0.75rem 0.45rem 0; border-bottom: 1px solid var(--border); text-align: left; vertical-align: top; }
th, dt { color: var(--text-muted); font-weight: 500; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1.5rem; }
dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 40rem) {
  thead { display: none; }
  table, tbody, tr, td { display: block; }
  td { padding: 0; border: 0; }
  tr { padding: 0.6rem 0; border-bottom: 1px solid var(--border); }
}
/* Scripts say that they are there. */
:root:not([data-scripts]) .try { display: none !important; }
@media print {
  body > header, .skip, .try { display: none !important; }
  :root:root:root {${light}}
}
`.trimStart();
