/** Writes the example answers of the published document anew: `node test/api/write-answers.ts && npm run format && npm run openapi`. */
import { writeFileSync } from 'node:fs';
import { sandboxAnswers } from '../support/sandbox-answers.ts';

writeFileSync('src/api/openapi/answers.json', `${JSON.stringify(await sandboxAnswers(), null, 2)}\n`);
