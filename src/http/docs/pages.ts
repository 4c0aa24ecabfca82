import { type ProblemCode, problemCodes, problemPath, problems } from '../../api/index.ts';

/** The page that shows the OpenAPI document, for reading and for trying it. */
export const documentationPage = (root: string): string =>
  page(root, {
    title: 'Puente: Healthcare Institution Integration API',
    head: `
    <link rel="stylesheet" href="${escaped(root)}/docs/assets/swagger-ui.css">
    <script defer src="${escaped(root)}/docs/assets/swagger-ui-bundle.js"></script>
    <script defer src="${escaped(root)}/docs/assets/puente.js"></script>`,
    body: `<div id="operations" data-document="${escaped(root)}/openapi.json"><p class="loading">Reading the document…</p></div>`,
  });

/** The list of all problems. */
export const problemsPage = (root: string): string =>
  page(root, {
    title: 'Problems of this gateway',
    body: `
    <article>
      <h1>Problems</h1>
      <p>Every error is <code>application/problem+json</code> (RFC 9457). Decide by its <code>code</code>, which never changes.</p>
      <table>
        <thead><tr><th>Status</th><th>Code</th><th>What happened</th></tr></thead>
        <tbody>${problemCodes.map((code) => problemRow(root, code)).join('')}
        </tbody>
      </table>
    </article>`,
  });

const problemRow = (root: string, code: ProblemCode): string => `
          <tr>
            <td>${problems[code].status}</td>
            <td><a href="${escaped(root + problemPath(code))}"><code>${escaped(code)}</code></a></td>
            <td>${escaped(problems[code].title)}</td>
          </tr>`;

/** The page that the `type` of a problem leads to. */
export function problemPage(root: string, code: ProblemCode): string {
  const { status, title, meaning } = problems[code];
  return page(root, {
    title: `${title} (${status} ${code})`,
    body: `
    <article>
      <p class="status">${status}</p>
      <h1>${escaped(title)}</h1>
      <p>${prose(meaning)}</p>
      <dl>
        <dt>Code</dt><dd><code>${escaped(code)}</code></dd>
        <dt>Status</dt><dd>${status}</dd>
      </dl>
      <p>The answer’s <code>instance</code> is the request id: the institution finds the request by it.</p>
    </article>`,
  });
}

const page = (root: string, { title, head = '', body }: { title: string; head?: string; body: string }): string =>
  `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escaped(title)}</title>
    <link rel="icon" href="${escaped(root)}/docs/assets/favicon-32x32.png">${head}
    <link rel="stylesheet" href="${escaped(root)}/docs/assets/puente.css">
  </head>
  <body>
    <header>
      <a class="name" href="${escaped(root)}/docs">Puente</a>
      <nav>
        <a href="${escaped(root)}/docs">Operations</a>
        <a href="${escaped(root)}/problems">Problems</a>
        <a href="${escaped(root)}/openapi.json">openapi.json</a>
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

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] as string);

/** Text with code between backticks. */
const prose = (text: string): string => escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');
