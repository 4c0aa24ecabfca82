import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { serve } from '../../support/listen.ts';

const run = promisify(execFile);
const person = { id: 'p', name: 'Bruno', last_name: 'Sosa', birth_date: '1992-04-17' };
const slot = { health_care_service_id: 's', practitioner_id: 'd', date: '2030-01-07T09:00:00' };
const notOffered = { status: 501, code: 'not_implemented' };

/** An institution that has all that a day of work needs, up to the ticket. */
const institution: Readonly<Record<string, object>> = {
  'POST /patients/': person,
  'GET /patients/search': { patients: [person] },
  'GET /patients/p/health_insurances': { health_insurances: [{ id: 'c', active: 'true' }] },
  'GET /health-care-services/search': { health_care_services: [{ id: 's', name: 'Clínica' }] },
  'GET /available-appointments/search': { appointments: [slot] },
  'POST /patients/p/appointments': {},
  'GET /patients/p/appointments': { appointments: [{ id: 'a', status: 'active' }] },
  'PUT /patients/p/appointments/a': {},
};
let answers: Record<string, object> = {};
beforeEach(() => {
  answers = { ...institution };
});

const url = await serve((request, response) => {
  const body = answers[`${request.method} ${request.url?.split('?')[0]}`] ?? { status: 404, code: 'not_found' };
  const status = 'code' in body && 'status' in body ? Number(body.status) : 200;
  const headers = { 'content-type': 'application/json', location: '/patients/p/appointments/a' };
  response.writeHead(status, { ...headers, 'idempotency-replayed': 'true' }).end(JSON.stringify(body));
});

const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0;
const programs: readonly (readonly [string, string])[] = [
  [process.execPath, 'examples/client/day.ts'],
  ...(hasPython ? ([['python3', 'examples/client/day.py']] as const) : []),
];
if (!hasPython) test.skip('(skipped: there is no python3 of version 3.9 or later here)', () => undefined);

describe.each(programs)('the day of work of %s %s', (program, file) => {
  test.each<[string, string, object]>([
    ['a patient with the DNI 31465466', 'GET /patients/search', { patients: [] }],
    ['an active health insurance of this patient', 'GET /patients/p/health_insurances', { health_insurances: [] }],
    [
      'a free time of a service that this insurance pays for',
      'GET /available-appointments/search',
      { appointments: [] },
    ],
    ['a type of ticket', 'GET /ticket_types', []],
    ['the operation at /ticket_types', 'GET /ticket_types', notOffered],
  ])('ends, and says that the institution lacks %s', async (what, request, answer) => {
    answers[request] = answer;
    const env = { ...process.env, PUENTE_URL: url, TOKEN: 't' };
    const failed = await run(program, [file], { env }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(`this institution lacks ${what}\n$`) });
  });
});
