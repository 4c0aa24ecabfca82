import type { Profiler } from 'node:inspector/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(import.meta.dirname, '../../../');

/** What one file used by itself. */
export interface SelfTime {
  readonly file: string;
  readonly micros: number;
  /** Of all that was used. */
  readonly share: number;
  /** The function with the most. */
  readonly busiest: string;
}

/** The files of a profile, the most expensive first; what V8 and Node do outside of JavaScript stands under its name. */
export function sumByFile({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): SelfTime[] {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const files = new Map<string, Map<string, number>>();
  for (const [at, id] of samples.entries()) {
    const { url = '', functionName = '', lineNumber = 0 } = frames.get(id) ?? {};
    if (functionName === '(idle)' || functionName === '(root)') continue;
    const file = url.startsWith('file:')
      ? fileURLToPath(url).replace(root, '')
      : url || functionName || '(made by zod)';
    const functions = files.get(file) ?? new Map<string, number>();
    // A sample lasts until the next one.
    const name = `${functionName}:${lineNumber + 1}`;
    functions.set(name, (functions.get(name) ?? 0) + (timeDeltas[at + 1] ?? 0));
    files.set(file, functions);
  }
  const sums = [...files].map(([file, functions]) => {
    const [[busiest = ''] = []] = [...functions].toSorted(([, a], [, b]) => b - a);
    return { file, busiest, micros: [...functions.values()].reduce((sum, each) => sum + each, 0) };
  });
  const all = sums.reduce((sum, { micros }) => sum + micros, 0);
  return sums.toSorted((a, b) => b.micros - a.micros).map((each) => ({ ...each, share: each.micros / all }));
}
