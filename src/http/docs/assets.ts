import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { icon } from './icon.ts';
import { operationsStyle } from './operations-style.ts';
import { PreparedPage } from './prepared-page.ts';
import { style } from './style.ts';

/** A browser asks whether it has the newest, so that no page meets the scripts of another version. */
const headers = { 'Cache-Control': 'no-cache' };

const folder = join(import.meta.dirname, 'browser');
const scripts = readdirSync(folder).filter((file) => file.endsWith('.js'));

/** The modules of the page of operations; a browser that is told of all of them waits for no one's imports. */
export const modules: readonly string[] = scripts.filter((file) => file !== 'theme.js');

const readScript = (file: string): PreparedPage =>
  new PreparedPage('js', readFileSync(join(folder, file), 'utf8'), headers);

/** All that the pages load, by file name. */
export const readAssets = (): ReadonlyMap<string, PreparedPage> =>
  new Map([
    ...scripts.map((file): [string, PreparedPage] => [file, readScript(file)]),
    ['puente.css', new PreparedPage('css', style, headers)],
    ['operations.css', new PreparedPage('css', operationsStyle, headers)],
    ['icon.svg', new PreparedPage('svg', icon, headers)],
  ]);
