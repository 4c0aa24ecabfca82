// Writes the parts of the pages that the code knows: `npm run reference`.
import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { readPages } from './pages.ts';

for (const { file, written, current } of await readPages()) {
  if (written === current) continue;
  writeFileSync(file, current);
  process.stdout.write(`${file}\n`);
}
