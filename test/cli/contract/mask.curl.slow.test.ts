import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { formatCurl, Mask } from '../../../src/cli/contract/mask.ts';
import { quotedRequest } from '../../support/contract-report.ts';

const mask = new Mask(new Map([['ana', 'patients.complete']]));

test('a command sends the request that it was made of, when a shell runs it', () => {
  const command = formatCurl(quotedRequest, {}, mask).replace('curl', 'printf "%s\\n"');
  const environment = { PUENTE_URL: 'http://x', PUENTE_CONTRACT_TOKEN: 't', patients_complete: 'ana' };
  const words = execFileSync('/bin/sh', ['-c', command], { env: environment, encoding: 'utf8' }).trim().split('\n');
  expect(words).toEqual([
    '-sS',
    '-X',
    'PUT',
    '-H',
    'Authorization: Bearer t',
    '-H',
    'Content-Type: application/json',
    '-d',
    JSON.stringify(quotedRequest.body),
    'http://x/patients/ana?search=d%27Or+%26+co',
  ]);
});
