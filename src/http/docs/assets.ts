import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { icon } from './icon.ts';
import { operationsStyle } from './operations-style.ts';
import { PreparedPage } from './prepared-page.ts';
import { style } from './style.ts';

/** A browser asks whether it has the newest, so that no page meets the scripts of another version. */
const headers = { 'Cache-Control': 'no-cache' };

/** The scripts of the pages, as they stand in the sources; what a compiler notes in them for a debugger is dropped. */
const readScripts = (folder: string): [string, PreparedPage][] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.js'))
    .map((file) => {
      const text = readFileSync(join(folder, file), 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
      return [file, new PreparedPage('js', text, headers)];
    });

/** All that the pages load, by file name. */
export const readAssets = (): ReadonlyMap<string, PreparedPage> =>
  new Map([
    ...readScripts(join(import.meta.dirname, 'browser')),
    ['puente.css', new PreparedPage('css', style, headers)],
    ['operations.css', new PreparedPage('css', operationsStyle, headers)],
    ['icon.svg', new PreparedPage('svg', icon, headers)],
  ]);
