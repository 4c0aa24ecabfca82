const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for an element or an attribute. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? character);

/** Escapes text. Text between backticks becomes code, and text between two asterisks becomes bold. */
export const renderProse = (text: string): string =>
  escapeHtml(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>');

/** Further sources of a page, as values of its content security policy. */
export interface PageSources {
  readonly styles?: string;
  readonly images?: string;
  readonly forms?: string;
}

/** The headers of a page. It may load resources only from this origin. The proxy that terminates TLS sets HSTS. */
export function listPageHeaders({ styles = "'self'", images = "'self'", forms = "'none'" }: PageSources = {}) {
  const policy = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': styles,
    'img-src': images,
    'connect-src': "'self'",
    'base-uri': "'none'",
    'form-action': forms,
    'frame-ancestors': "'none'",
  };
  return {
    'Content-Security-Policy': Object.entries(policy)
      .map((directive) => directive.join(' '))
      .join(';'),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    // For browsers without `frame-ancestors`.
    'X-Frame-Options': 'DENY',
  };
}

/** The icon of the pages: a bridge. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b6e63"/><path d="M4 22h24M7 22v-3a9 9 0 0 1 18 0v3M12 22v-9.500M20 22v-9.500" fill="none" stroke="#fff" stroke-width="2.500" stroke-linecap="round"/></svg>
`;

export interface HtmlPage {
  readonly title: string;
  /** Includes its `main` element, with the id `main`. */
  readonly body: string;
  /** Further elements for the `head`. */
  readonly head?: string;
  /** The links to other pages. Default: the links for callers. */
  readonly nav?: string;
}

/** Renders a page of the gateway with its header. */
export function renderPage(basePath: string, { title, body, head = '', nav }: HtmlPage): string {
  const path = escapeHtml(basePath);
  const links = `
        <a href="${path}/docs">Operations</a>
        <a href="${path}/problems">Problems</a>
        <a href="${path}/openapi.json">openapi.json</a>`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escapeHtml(title)}</title>
    <link rel="icon" href="${path}/docs/assets/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="${path}/docs/assets/puente.css">${head}
  </head>
  <body>
    <a class="skip" href="#main">Skip to the content</a>
    <header>
      <a class="name" href="${path}/">Puente</a>
      <nav aria-label="Pages">${nav ?? links}
      </nav>
    </header>${body}
  </body>
</html>
`;
}

const light = `
  color-scheme: light;
  --background: #fbfaf7;
  --surface: #fff;
  --text: #1d2b2a;
  --text-muted: #556563;
  --border: #dcded8;
  --accent: #0b6e63;
  --wrong: #a3261d;
`;

const dark = `
  color-scheme: dark;
  --background: #16191b;
  --surface: #1e2325;
  --text: #e6e9e6;
  --text-muted: #a3aeab;
  --border: #343b3e;
  --accent: #5cc8b8;
  --wrong: #ff9b90;
`;

/** The style sheet of the gateway's own pages, light and dark. */
export const style = `
:root {${light}}
@media (prefers-color-scheme: dark) { :root {${dark}} }
* { box-sizing: border-box; }
body { margin: 0; background: var(--background); color: var(--text); font: 16px/1.6 system-ui, sans-serif; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
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
.text { max-width: 54rem; margin: 0 auto; padding: 2rem 20px 4rem; }
h1 { margin: 0 0 1rem; line-height: 1.25; }
h2 { margin: 2.5rem 0 0.5rem; font-size: 1.2rem; }
.absent { color: var(--text-muted); font-size: 0.9em; }
.wide { max-width: 100rem; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); gap: 0 1.5rem; }
.sides > div { min-width: 0; }
h3 { margin: 1rem 0 0.25rem; font-size: 1rem; }
pre { margin: 0 0 0.75rem; padding: 0.75rem; overflow: auto; max-height: 30rem; background: var(--surface); border: 1px solid var(--border); font: 0.85rem/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
nav a[aria-current] { font-weight: 700; }
.status { margin: 0; color: var(--accent); font-size: 1.1rem; font-weight: 700; }
.wrong { color: var(--wrong); font-weight: 600; }
code { font: 0.92em ui-monospace, monospace; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.45rem 0.75rem 0.45rem 0; border-bottom: 1px solid var(--border); text-align: left; vertical-align: top; }
th, dt { color: var(--text-muted); font-weight: 500; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1.5rem; }
dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 40rem) {
  dl { display: block; }
  dt, dd { display: inline; }
  dt::after { content: ': '; }
  dd::after { content: '\\A'; white-space: pre; }
  thead { display: none; }
  table, tbody, tr, td { display: block; }
  td { padding: 0; border: 0; }
  td:empty { display: none; }
  td[data-head]::before { content: attr(data-head) ': '; color: var(--text-muted); }
  tr { padding: 0.6rem 0; border-bottom: 1px solid var(--border); }
}
@media print {
  body > header, .skip { display: none !important; }
  :root {${light}}
}
`.trimStart();
