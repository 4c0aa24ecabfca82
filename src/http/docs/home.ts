import { isOffered, type Operation } from '../../api/index.ts';
import type { OpenApiOptions } from '../../api/openapi.ts';
import { getTag } from '../../api/openapi-operation.ts';
import type { Capability } from '../../ports/index.ts';
import { escapeHtml, renderPage } from './html.ts';
import { findAnchor } from './reference.ts';

/** What the first page tells; nothing that `/openapi.json` does not, but for the adapters' names and the institution's. */
export interface Home {
  readonly basePath: string;
  readonly version: string;
  readonly institution: { readonly name?: string | undefined; readonly timeZone: string };
  readonly adapters: readonly string[];
  readonly operations: readonly Operation[];
  readonly supports: ReadonlySet<Capability>;
}

/** What the OpenAPI document tells besides. */
export type CallerRules = Omit<OpenApiOptions, keyof Home>;

/** The page at `/`: what this is, in front of which institution, what is offered, and where to go on. */
export function renderHome({ basePath, version, institution, adapters, operations, supports }: Home): string {
  const offered = operations.filter((operation) => isOffered(operation, supports));
  const name = institution.name ?? 'a healthcare institution';
  const path = escapeHtml(basePath);
  return renderPage(basePath, {
    title: `Puente: ${name}`,
    body: `
    <main id="main" class="text">
      <h1>${escapeHtml(institution.name ?? 'Healthcare Institution Integration API')}</h1>
      <p>This is Puente ${escapeHtml(version)}, a gateway that serves the Healthcare Institution Integration API of ${escapeHtml(name)}: patients, tickets, appointments, insurance, practitioners, family groups and the directory. Requests need a token, which the institution gives out.</p>
      <dl>
        <dt>Offered</dt><dd>${offered.length} of ${operations.length} operations</dd>
        <dt>Adapter</dt><dd>${escapeHtml(adapters.join(', '))}</dd>
        <dt>Time zone</dt><dd>${escapeHtml(institution.timeZone)}</dd>
      </dl>
      <ul>
        <li><a href="${path}/docs">Operations</a>, each with its fields, its problems and a form to try it</li>
        <li><a href="${path}/openapi.json">openapi.json</a>, the same for generators of clients</li>
        <li><a href="${path}/problems">Problems</a>, and what to do about each</li>
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
