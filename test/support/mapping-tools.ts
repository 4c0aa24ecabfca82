import type { Located } from '../../src/cli/mapping/open.ts';
import { defaultInstitution } from '../../src/cli/mapping/open.ts';

/** A mapping file of an institution as configuration has it by default. */
export const locateFile = (path: string): Located => ({ path, institution: defaultInstitution });

/** What is printed meanwhile. */
export async function collect<T>(work: (print: (text: string) => void) => Promise<T>) {
  const printed: string[] = [];
  const result = await work((text) => void printed.push(text));
  return { result, printed: printed.join('') };
}
