import { explainProblem, getProblemPath, type ProblemCode, problemCodes, problems } from '../../api/index.ts';
import { escapeHtml, renderPage, renderProse } from './html.ts';

const sortedCodes = problemCodes.toSorted((a, b) => problems[a].status - problems[b].status);

/** The page with the list of all problems. */
export const renderProblems = (basePath: string): string =>
  renderPage(basePath, {
    title: 'Puente: problems',
    body: `
    <main id="main" class="text">
      <h1>Problems</h1>
      <p>Every error response is <code>application/problem+json</code> (RFC 9457). Programs should decide by its <code>code</code>, which is stable.</p>
      <table>
        <thead><tr><th>Status</th><th>Code</th><th>Title</th></tr></thead>
        <tbody>${sortedCodes.map((code) => renderProblemRow(basePath, code)).join('')}
        </tbody>
      </table>
    </main>`,
  });

const renderProblemRow = (basePath: string, code: ProblemCode): string => `
          <tr>
            <td>${problems[code].status}</td>
            <td><a href="${escapeHtml(basePath + getProblemPath(code))}"><code>${escapeHtml(code)}</code></a></td>
            <td>${escapeHtml(problems[code].title)}</td>
          </tr>`;

/** The page that the `type` of a problem links to. */
export function renderProblem(basePath: string, code: ProblemCode): string {
  const { status, title } = problems[code];
  return renderPage(basePath, {
    title: `${title} (${status} ${code})`,
    body: `
    <main id="main" class="text">
      <p class="status">${status}</p>
      <h1>${escapeHtml(title)}</h1>
      <p>${renderProse(explainProblem(code))}</p>
      <dl>
        <dt>Code</dt><dd><code>${escapeHtml(code)}</code></dd>
        <dt>Status</dt><dd>${status}</dd>
      </dl>
      <p>The <code>instance</code> of the response contains the request id. Quote it when you report the problem.</p>
    </main>`,
  });
}
