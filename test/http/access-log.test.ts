import { describe, expect, test } from '@jest/globals';
import { adapter } from '../../adapters/adapter.ts';
import { memory as builtIn } from '../../adapters/memory/index.ts';
import { Failure } from '../../src/ports/index.ts';
import { startGateway } from '../support/gateway.ts';

/** Lists practitioners, knows no patient, cannot list carriers at present, and has no plans as its system is down. */
const memory = adapter({
  settings: builtIn.settings,
  offer: () => ({
    practitioners: { list: async () => [] },
    patients: {
      get: async () => {
        throw new Failure('not_found', 'there is no such patient');
      },
    },
    insurance: {
      carriers: async () => {
        throw new Failure('unsupported', 'this cannot be done safely', { code: 'backend_not_atomic' });
      },
      plans: async () => {
        throw new Failure('unavailable', 'the system is down');
      },
    },
  }),
});

/** The line of a request. */
async function requestLine(path: string): Promise<Record<string, unknown>> {
  const gateway = await startGateway({ adapters: { memory } });
  await (await fetch(gateway.url + path, { headers: { Authorization: `Bearer ${gateway.token}` } })).text();
  await gateway.stop();
  const [line] = gateway.lines.map((each) => JSON.parse(each)).filter(({ event }) => event === 'request');
  return line;
}

/** Level, status and cause or code of the line of a request. */
async function getLine(path: string) {
  const { level, status, cause, code } = await requestLine(path);
  return [level, status, cause ?? code];
}

describe('the log line of a request', () => {
  test.each([
    ['/livez', 'GET /livez'],
    ['/capabilities', 'GET /capabilities'],
    ['/docs', 'GET /docs'],
    ['/problems/not_found', 'GET /problems/:code'],
    ['/patients/nobody?name=x', 'GET /patients/{id}'],
    ['/nowhere/ana', 'GET *'],
  ])('to %s has the route %s', async (path, route) => expect(await requestLine(path)).toMatchObject({ route }));

  test.each([
    ['/practitioner/', ['info', 200, undefined]],
    ['/patients/nobody', ['info', 404, 'not_found']],
    ['/health_insurance_carriers/OSDE/health_insurance_plans/', ['error', 502, 'backend_unavailable']],
  ])('of %s is %j', async (path, line) => expect(await getLine(path)).toEqual(line));

  test('is no error for an operation that is not offered', async () => {
    expect(await getLine('/api/medical-directory')).toEqual(['info', 501, 'not_implemented']);
  });

  test('warns of an operation that is offered, but not at present', async () => {
    expect(await getLine('/health_insurance_carriers/')).toEqual(['warn', 501, 'backend_not_atomic']);
  });
});
