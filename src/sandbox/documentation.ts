import type { Cast } from '../../adapters/memory/sandbox.ts';
import type { Operation } from '../api/index.ts';
import type { FurtherPages } from '../http/docs/router.ts';
import { getField } from '../toolkit/records.ts';
import { renderSandbox, sandboxScript, sandboxStyle } from './page.ts';
import { listScenarios, writeScenario } from './scenarios.ts';

const tag = {
  name: 'Sandbox',
  description: 'Scenarios, the clock and the data of this sandbox, for tokens with the scope `sandbox`.',
};

const spell = (name: string): string => `\`${writeScenario(name)}\``;

const header = (operation: Operation) => ({
  name: 'Puente-Scenario',
  in: 'header' as const,
  description: `Sandbox only: the outcome of the request, one of ${listScenarios(operation).map(spell).join(', ')}. The page \`/sandbox\` explains them.`,
  schema: { type: 'string' as const },
});

/**
 * The page and the document of a sandbox.
 * @param served the operations that scenarios are for.
 * @param own those of the sandbox.
 * @param cast the description of each patient, by id.
 */
export const createSandboxPages = (
  served: readonly Operation[],
  own: readonly Operation[],
  cast: Cast,
): Omit<FurtherPages, 'now'> => ({
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
  render: (basePath) => ({
    '/sandbox': { type: 'html', content: renderSandbox(basePath, served, cast) },
    '/sandbox/page.css': { type: 'css', content: sandboxStyle },
    '/sandbox/page.js': { type: 'js', content: sandboxScript },
  }),
});
