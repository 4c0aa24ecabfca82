import { globSync, readFileSync } from 'node:fs';
import { formatCommands } from './commands.ts';
import { formatConfiguration, formatFhirSettings, formatSettings } from './configuration.ts';
import { contractParts } from './contract.ts';
import { formatEvents, formatLogFields } from './log.ts';
import { formatMapping } from './mapping.ts';
import { rebaseLinks } from './markdown.ts';
import { formatMetrics } from './metrics.ts';
import { formatAuditRecord, formatCast, formatLoginFailures, formatProblems, formatTokenReasons } from './tables.ts';
import { formatToolbox } from './toolbox.ts';

/** The generated parts of pages, by the names between their marks. */
const parts: Readonly<Record<string, () => string | Promise<string>>> = {
  'audit-record': formatAuditRecord,
  cast: formatCast,
  commands: formatCommands,
  configuration: formatConfiguration,
  events: formatEvents,
  'fhir-settings': formatFhirSettings,
  'local-settings': () => formatSettings('local'),
  'log-fields': formatLogFields,
  'login-failures': formatLoginFailures,
  mapping: formatMapping,
  metrics: formatMetrics,
  problems: formatProblems,
  'token-reasons': formatTokenReasons,
  toolbox: formatToolbox,
  ...contractParts,
};

/** A part of a page: everything from one mark to the other. */
const part = /(<!-- npm run reference writes this from the code: ([\w-]+) -->\n).*?(<!-- end -->)/gs;

/** The names of all parts. */
export const partNames: readonly string[] = Object.keys(parts);

/** The names of the parts of a page. */
export const findParts = (page: string): readonly string[] => [...page.matchAll(part)].map(([, , name = '']) => name);

/** A page with its parts as the code has them now. @throws Error when it names a part that does not exist. */
async function updatePage(file: string, page: string): Promise<string> {
  const made = new Map<string, string>();
  for (const name of findParts(page)) {
    const make = parts[name];
    if (!make) throw new Error(`${file}: no part is called ${name}: choose one of ${partNames.join(', ')}`);
    made.set(name, rebaseLinks(await make(), file));
  }
  return page.replaceAll(
    part,
    (_all, begin: string, name: string, end: string) => `${begin}\n${made.get(name)}\n\n${end}`,
  );
}

interface Page {
  readonly file: string;
  readonly written: string;
  readonly current: string;
}

/** Every page of docs that has parts, as it is and as it has to be. */
export async function readPages(): Promise<readonly Page[]> {
  const pages = globSync('docs/**/*.md')
    .toSorted()
    .map((file) => ({ file, written: readFileSync(file, 'utf8') }));
  const marked = pages.filter(({ written }) => findParts(written).length > 0);
  return Promise.all(marked.map(async (page) => ({ ...page, current: await updatePage(page.file, page.written) })));
}
