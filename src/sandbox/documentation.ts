import type { Cast } from '../../adapters/memory/sandbox.ts';
import type { Operation } from '../api/index.ts';
import { getTag } from '../api/openapi-operation.ts';
import { findAnchor } from '../http/docs/reference.ts';
import type { FurtherPages } from '../http/docs/router.ts';
import { escapeHtml, renderPage, renderProse } from '../toolkit/html.ts';
import { getField } from '../toolkit/records.ts';
import { listScenarios, writeScenario } from './scenarios.ts';

const tag = {
  name: 'Sandbox',
  description: 'Scenarios, the clock and the data of this sandbox, for tokens with the scope `sandbox`.',
};

const spell = (name: string): string => `\`${writeScenario(name)}\``;

const header = (operation: Operation) => ({
  name: 'Puente-Scenario',
  in: 'header' as const,
  description: `Of this sandbox: how the request ends. One of ${listScenarios(operation).map(spell).join(', ')}. The page \`/sandbox\` explains them.`,
  schema: { type: 'string' as const },
});

/**
 * The page and the document of a sandbox.
 * @param served the operations that scenarios are for.
 * @param own those of the sandbox.
 * @param cast what is said of each patient, by id.
 */
export const createSandboxPages = (
  served: readonly Operation[],
  own: readonly Operation[],
  cast: Cast,
): FurtherPages => ({
  describe: (build) => {
    const document = build([...served, ...own]);
    const people = Object.entries(cast).map(([id, { says }]) => [id, { value: id, summary: `${id} ${says}` }] as const);
    for (const [path, item] of Object.entries(document.paths ?? {})) {
      for (const described of [item.get, item.post, item.put, item.delete]) {
        const operation = [...served, ...own].find(({ name }) => name === described?.operationId);
        if (!described || !operation) continue;
        if (own.includes(operation)) described.tags = [tag.name];
        else described.parameters = [...(described.parameters ?? []), header(operation)];
        for (const parameter of path.startsWith('/patients/') ? described.parameters! : []) {
          if (!('in' in parameter) || parameter.name !== 'id') continue;
          const example: unknown = parameter.example;
          parameter.examples = { [String(example)]: { value: example }, ...Object.fromEntries(people) };
          delete parameter.example;
        }
      }
    }
    document.tags?.push(tag);
    const groups = getField(document, 'x-tagGroups') as { name: string; tags: string[] }[];
    groups.find(({ name }) => name === 'Gateway')?.tags.push(tag.name);
    return document;
  },
  render: (basePath) => ({ '/sandbox': renderSandbox(basePath, served, cast) }),
});

function renderSandbox(basePath: string, served: readonly Operation[], cast: Cast): string {
  const path = escapeHtml(basePath);
  const link = (operation: Operation) =>
    `<a href="${path}/docs${findAnchor(getTag(operation), operation.name)}">${escapeHtml(operation.summary)}</a>`;
  const names = [...new Set(served.flatMap(listScenarios))].map(spell).join(', ');
  return renderPage(basePath, {
    title: 'Puente: the sandbox',
    body: `
    <main id="main" class="text">
      <h1>The sandbox</h1>
      <p>An invented hospital in which everything that goes wrong can be ordered. A request with the header <code>Puente-Scenario</code> ends as it says; without a header, <a href="${path}/docs#tag/sandbox">plan it</a> for the next calls of a client. There the clock is moved, too, and all brought back.</p>
      <h2>Scenarios</h2>
      <p>${renderProse(names)}. Each operation has those that can happen to it; its entry in the <a href="${path}/docs">reference</a> lists them. Most are <a href="${path}/problems">problems</a>.</p>
      <p>${renderProse('`made`, or no value: the write was made; `lost`: it was not. `slow` answers so many seconds later; those of `overloaded` stand in `Retry-After`. `drop` ends the connection after the write, and `omitted` leaves out the last record of a list.')}</p>
      <h2>People for every case</h2>
      <table>
        <thead><tr><th>Id</th><th>This patient</th><th>Try</th></tr></thead>
        <tbody>${Object.entries(cast)
          .map(
            ([id, { says, try: name }]) => `
          <tr>
            <td><code>${escapeHtml(id)}</code></td>
            <td>${renderProse(says)}</td>
            <td>${served.filter((each) => each.name === name).map(link)}</td>
          </tr>`,
          )
          .join('')}
        </tbody>
      </table>
    </main>`,
  });
}
