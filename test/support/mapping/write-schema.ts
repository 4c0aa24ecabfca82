import { writeFileSync } from 'node:fs';
import { createJsonSchema } from '../../../adapters/mapping/file/schema.ts';

writeFileSync('adapters/mapping/mapping.schema.json', `${JSON.stringify(createJsonSchema(), null, 1)}\n`);
