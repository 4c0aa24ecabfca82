/** The look of the gateway's own pages, in light and dark. */
export const style = `
:root {
  --paper: #fbfaf7;
  --ink: #1d2b2a;
  --quiet: #5b6b69;
  --line: #dcded8;
  --bridge: #0b6e63;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #1c2022;
    --ink: #e6e9e6;
    --quiet: #a0aba8;
    --line: #363d3f;
    --bridge: #5cc8b8;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.6 system-ui, sans-serif; }
a { color: var(--bridge); }
header {
  display: flex;
  align-items: baseline;
  gap: 2rem;
  max-width: 1460px;
  margin: 0 auto;
  padding: 1rem 20px;
  border-bottom: 1px solid var(--line);
}
header .name { font-size: 1.4rem; font-weight: 700; text-decoration: none; }
header nav { display: flex; gap: 1.25rem; font-size: 0.95rem; }
article { max-width: 46rem; margin: 0 auto; padding: 2rem 20px 4rem; }
h1 { margin: 0 0 1rem; line-height: 1.25; }
.status { margin: 0; color: var(--bridge); font-size: 1.1rem; font-weight: 700; }
.loading { padding: 2rem 20px; color: var(--quiet); }
code { font: 0.92em ui-monospace, monospace; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.45rem 0.75rem 0.45rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th, dt { color: var(--quiet); font-weight: 500; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1.5rem; }
dd { margin: 0; }
`.trimStart();
