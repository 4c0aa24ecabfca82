import type { Located } from '../../adapters/mapping/commands/open.ts';
import { defaultInstitution, load, use } from '../../adapters/mapping/commands/open.ts';
import { examineSystem } from '../../adapters/mapping/examination/examine.ts';
import type { Finding } from '../../src/ports/index.ts';

/** A mapping file of an institution as configuration has it by default. */
export const locateFile = (path: string): Located => ({ path, institution: defaultInstitution });

/** What `puente doctor` finds in the system of a mapping file. @throws ConfigProblems as `puente check` does. */
export const examineFile = (path: string, inventedPatient?: string): Promise<Finding[]> =>
  use(load(path), defaultInstitution, (hospital, sources) =>
    Array.fromAsync(
      examineSystem({ path, hospital, sources }, { signal: new AbortController().signal, inventedPatient }),
    ),
  );

/** What is printed meanwhile. */
export async function collect<T>(work: (print: (text: string) => void) => Promise<T>) {
  const printed: string[] = [];
  const result = await work((text) => void printed.push(text));
  return { result, printed: printed.join('') };
}
