import { z } from 'zod';
import { adapter } from '../../adapters/adapter.ts';
import { readConfig } from '../../src/config/read.ts';
import { ConfigProblems } from '../../src/toolkit/problems.ts';
import { ConfigFolder } from './config-file.ts';
import { listFormless } from './error-form.ts';

/** Where `read` and `findProblems` write their file; the test removes it. */
export const folder = new ConfigFolder();

/** An adapter with settings, in the place of the default one, and one without. */
export const memory = adapter({
  settings: z.strictObject({
    world: z.string().meta({ file: true }).optional(),
    size: z.int().min(1).default(3),
  }),
  offer: () => ({}),
});
export const other = adapter({
  settings: z.strictObject({}),
  offer: () => ({}),
});

/** The configuration of this text. */
export const read = (yaml: string, environment: Record<string, string> = {}, port?: string) =>
  readConfig({ file: folder.write('x.yaml', yaml), port, environment, adapters: { memory, other } });

/** A line with the file called `x.yaml` wherever it lies. */
export const shorten = (line: string): string => line.replaceAll(folder.formatPath('x.yaml'), 'x.yaml');

export const findProblems = (yaml: string, environment: Record<string, string> = {}, port?: string) =>
  listProblems(() => read(yaml, environment, port));

/** The problems, each shortened. @throws Error for a problem without what to do. */
export function listProblems(readIt: () => unknown): readonly string[] {
  try {
    readIt();
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error;
    const formless = listFormless(error.problems);
    if (formless.length > 0) throw new Error(`no act: ${formless.join('\n')}`);
    return error.problems.map(shorten);
  }
  return [];
}
