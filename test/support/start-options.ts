import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  scripts: { start: string };
};

/** The options of Node with which `npm start` runs the gateway. */
export const startOptions: readonly string[] = scripts.start.split(' ').filter((word) => word.startsWith('--'));
