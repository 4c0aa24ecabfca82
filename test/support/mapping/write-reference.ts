import { writeFileSync } from 'node:fs';
import { createReference } from './reference.ts';

writeFileSync('docs/reference/mapping.md', createReference());
