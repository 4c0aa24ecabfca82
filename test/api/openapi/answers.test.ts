import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { collectSandboxAnswers } from '../../support/sandbox-answers.ts';

test('the published example answers are what the sandbox answers; `npm run openapi` mends them', async () => {
  const published: unknown = JSON.parse(readFileSync('src/api/openapi/answers.json', 'utf8'));
  expect(published).toEqual(await collectSandboxAnswers());
});
