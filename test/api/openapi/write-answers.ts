/** Writes the example answers of the published document anew: `npm run openapi`. */
import { writeFileSync } from 'node:fs';
import { collectSandboxAnswers } from '../../support/sandbox-answers.ts';

writeFileSync('src/api/openapi/answers.json', `${JSON.stringify(await collectSandboxAnswers(), null, 2)}\n`);
