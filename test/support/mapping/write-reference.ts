import { writeFileSync } from 'node:fs';
import { createReference } from './reference.ts';

writeFileSync('docs/mapping-reference.md', createReference());
