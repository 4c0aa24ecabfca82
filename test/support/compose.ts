import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** A service of a file for Compose, with its anchors resolved and its variables not. */
export interface Service {
  readonly image: string;
  readonly build?: string | object;
  readonly profiles?: readonly string[];
  readonly ports?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly network_mode?: string;
  readonly volumes?: readonly string[];
  readonly secrets?: readonly (string | { readonly source: string; readonly target: string })[];
  readonly depends_on?: unknown;
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets?: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes?: Readonly<Record<string, unknown>>;
}

/** @param file from the root of the repository. */
export const readCompose = (file: string): ComposeFile =>
  parse(readFileSync(join(import.meta.dirname, '../..', file), 'utf8'), { merge: true }) as ComposeFile;

export const { services } = readCompose('docker-compose.yml');

/** What Compose makes of `${NAME:-default}` when nothing is set. */
export const resolveDefaults = (text: string): string => text.replace(/\$\{\w+:-([^}]*)\}/g, '$1');
