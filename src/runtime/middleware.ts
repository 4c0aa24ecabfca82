import { dirname } from 'node:path';
import { importModule, ModuleProblem } from '../config/import-adapter.ts';
import type { LoadedConfig } from '../config/read.ts';
import type { Middleware } from '../http/request-context.ts';
import { ConfigProblems } from '../toolkit/problems.ts';

/**
 * Imports the middleware that the configuration names; none when it names none.
 * @throws ConfigProblems when there is no such module, or its default export is neither a function nor a list of functions.
 */
export async function importMiddleware({ config, problem }: LoadedConfig): Promise<readonly Middleware[]> {
  const { middleware: file } = config.http;
  if (file === undefined) return [];
  try {
    const { default: given } = await importModule(file, [dirname(file)]);
    const middleware = [given].flat();
    if (!isMiddleware(middleware))
      throw new ModuleProblem('must export a middleware of Express, or a list of them, as its default');
    return middleware;
  } catch (error) {
    if (!(error instanceof ModuleProblem)) throw error;
    throw new ConfigProblems([problem(['http', 'middleware'], error.message)]);
  }
}

const isMiddleware = (given: readonly unknown[]): given is readonly Middleware[] =>
  given.length > 0 && given.every((each) => typeof each === 'function');
