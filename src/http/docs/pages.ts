import {
  explainProblem,
  getProblemPath,
  isOffered,
  type Operation,
  type ProblemCode,
  problemCodes,
  problems,
} from '../../api/index.ts';
import type { OpenApiOptions } from '../../api/openapi.ts';
import { getTag } from '../../api/openapi-operation.ts';
import type { Capability } from '../../ports/index.ts';
import { escapeHtml, renderPage, renderProse } from '../../toolkit/html.ts';
import { findAnchor } from './reference.ts';

/** The content of the first page: a part of `/openapi.json`, and the names of adapters and institution. */
export interface Home {
  readonly basePath: string;
  readonly version: string;
  readonly institution: { readonly name?: string | undefined; readonly timeZone: string };
  readonly adapters: readonly string[];
  readonly operations: readonly Operation[];
  readonly supports: ReadonlySet<Capability>;
  readonly sandbox?: object | undefined;
  /** Group A accepts requests without a token. Default: false. */
  readonly anonymousGroupA?: boolean;
}

/** Additions to the OpenAPI document. */
export type CallerRules = Omit<OpenApiOptions, keyof Home>;

/** The page at `/`: the gateway, its institution, the offered operations, and links. */
export function renderHome(home: Home): string {
  const { basePath, version, institution, adapters, operations, supports, sandbox, anonymousGroupA = false } = home;
  const offered = operations.filter((operation) => isOffered(operation, supports));
  const name = institution.name ?? 'a healthcare institution';
  const path = escapeHtml(basePath);
  return renderPage(basePath, {
    title: `Puente: ${name}`,
    body: `
    <main id="main" class="text">
      <h1>${escapeHtml(institution.name ?? 'Healthcare Institution Integration API')}</h1>
      <p>This is Puente ${escapeHtml(version)}, a gateway that serves the Healthcare Institution Integration API of ${escapeHtml(name)}: patients, tickets, appointments, insurance, practitioners, family groups and the directory. Requests${anonymousGroupA ? ' outside of Group A' : ''} need a token, which the institution gives out.</p>
      <dl>
        <dt>Offered</dt><dd>${offered.length} of ${operations.length} operations</dd>
        <dt>Adapter</dt><dd>${escapeHtml(adapters.join(', '))}</dd>
        <dt>Time zone</dt><dd>${escapeHtml(institution.timeZone)}</dd>
      </dl>
      <ul>
        <li><a href="${path}/docs">Operations</a>, each with its fields, its problems and a form to try it</li>
        <li><a href="${path}/openapi.json">openapi.json</a>, the same for generators of clients</li>
        <li><a href="${path}/problems">Problems</a>, and what to do about each</li>
        ${sandbox ? `<li><a href="${path}/sandbox">Sandbox</a>: scenarios, another now, and patients for every case</li>` : ''}
      </ul>
      <h2>Operations</h2>
      <table>
        <thead><tr><th>Subject</th><th>Operation</th><th>Route</th></tr></thead>
        <tbody>${operations.map((operation) => renderRow(basePath, operation, isOffered(operation, supports))).join('')}
        </tbody>
      </table>
    </main>`,
  });
}

const renderRow = (basePath: string, operation: Operation, offered: boolean): string => `
          <tr>
            <td>${escapeHtml(getTag(operation))}</td>
            <td><a href="${escapeHtml(basePath)}/docs${findAnchor(getTag(operation), operation.name)}">${escapeHtml(operation.summary)}</a>${offered ? '' : ' <span class="absent">not offered: 501</span>'}</td>
            <td><code>${escapeHtml(operation.route)}</code></td>
          </tr>`;

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
