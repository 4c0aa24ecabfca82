import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** A service of docker-compose.yml, with its anchors resolved and its variables not. */
export interface Service {
  readonly image: string;
  readonly build?: string;
  readonly profiles?: readonly string[];
  readonly ports?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: unknown;
}

const file = readFileSync(join(import.meta.dirname, '../../docker-compose.yml'), 'utf8');

export const { services } = parse(file, { merge: true }) as { services: Readonly<Record<string, Service>> };

/** What Compose makes of `${NAME:-default}` when nothing is set. */
export const resolveDefaults = (text: string): string => text.replace(/\$\{\w+:-([^}]*)\}/g, '$1');
