import { getProblemPath, type ProblemCode, problemCodes, problems } from '../../api/index.ts';

/** The page that shows the OpenAPI document, for reading and for trying it. */
export const renderDocumentation = (root: string): string =>
  renderPage(root, {
    title: 'Puente: Healthcare Institution Integration API',
    head: `
    <link rel="stylesheet" href="${escapeHtml(root)}/docs/assets/swagger-ui.css">
    <script defer src="${escapeHtml(root)}/docs/assets/swagger-ui-bundle.js"></script>
    <script defer src="${escapeHtml(root)}/docs/assets/puente.js"></script>`,
    body: `<div id="operations" data-document="${escapeHtml(root)}/openapi.json"><p class="loading">Reading the document…</p></div>`,
  });

/** The list of all problems. */
export const renderProblems = (root: string): string =>
  renderPage(root, {
    title: 'Problems of this gateway',
    body: `
    <article>
      <h1>Problems</h1>
      <p>Every error is <code>application/problem+json</code> (RFC 9457). Decide by its <code>code</code>, which never changes.</p>
      <table>
        <thead><tr><th>Status</th><th>Code</th><th>What happened</th></tr></thead>
        <tbody>${problemCodes.map((code) => renderProblemRow(root, code)).join('')}
        </tbody>
      </table>
    </article>`,
  });

const renderProblemRow = (root: string, code: ProblemCode): string => `
          <tr>
            <td>${problems[code].status}</td>
            <td><a href="${escapeHtml(root + getProblemPath(code))}"><code>${escapeHtml(code)}</code></a></td>
            <td>${escapeHtml(problems[code].title)}</td>
          </tr>`;

/** The page that the `type` of a problem leads to. */
export function renderProblem(root: string, code: ProblemCode): string {
  const { status, title, meaning } = problems[code];
  return renderPage(root, {
    title: `${title} (${status} ${code})`,
    body: `
    <article>
      <p class="status">${status}</p>
      <h1>${escapeHtml(title)}</h1>
      <p>${renderProse(meaning)}</p>
      <dl>
        <dt>Code</dt><dd><code>${escapeHtml(code)}</code></dd>
        <dt>Status</dt><dd>${status}</dd>
      </dl>
      <p>The answer’s <code>instance</code> is the request id: the institution finds the request by it.</p>
    </article>`,
  });
}

const renderPage = (root: string, { title, head = '', body }: { title: string; head?: string; body: string }): string =>
  `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escapeHtml(title)}</title>
    <link rel="icon" href="${escapeHtml(root)}/docs/assets/favicon-32x32.png">${head}
    <link rel="stylesheet" href="${escapeHtml(root)}/docs/assets/puente.css">
  </head>
  <body>
    <header>
      <a class="name" href="${escapeHtml(root)}/docs">Puente</a>
      <nav>
        <a href="${escapeHtml(root)}/docs">Operations</a>
        <a href="${escapeHtml(root)}/problems">Problems</a>
        <a href="${escapeHtml(root)}/openapi.json">openapi.json</a>
      </nav>
    </header>
    <main>${body}
    </main>
  </body>
</html>
`;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] as string);

/** Text with code between backticks. */
const renderProse = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
