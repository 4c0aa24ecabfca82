import { readFileSync } from 'node:fs';
import type { Environment } from '../../config/environment.ts';
import { CannotRun } from './cannot-run.ts';

export interface TokenOptions {
  readonly token?: string;
  readonly tokenEnv?: string;
  readonly tokenStdin?: true;
}

const defaultVariable = 'PUENTE_CONTRACT_TOKEN';

/**
 * The token of the options; undefined where none is given.
 * @throws CannotRun when the place that was named holds none.
 */
export function readToken(
  { token, tokenEnv, tokenStdin }: TokenOptions,
  environment: Environment,
  readStdin: () => string = () => readFileSync(0, 'utf8'),
): string | undefined {
  if (token !== undefined) return check(token, '--token');
  if (tokenStdin) return check(readStdin().trim(), 'standard input');
  const given = environment[tokenEnv ?? defaultVariable];
  if (tokenEnv !== undefined && !given) throw new CannotRun(`the environment has no ${tokenEnv}`);
  return given ? check(given, tokenEnv ?? defaultVariable) : undefined;
}

/** A header takes only visible ASCII. */
function check(token: string, source: string): string {
  if (!/^[\x21-\x7e]+$/.test(token)) throw new CannotRun(`${source} holds no token`);
  return token;
}
