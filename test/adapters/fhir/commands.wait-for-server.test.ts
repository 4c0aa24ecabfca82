import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { seed } from '../../../adapters/fhir/commands.ts';
import { fhir } from '../../../adapters/fhir/index.ts';
import { sandbox } from '../../../src/contract/fixtures.ts';
import type { Fault } from '../../fhir-server/quirks.ts';
import { startHospital } from '../../hospital-in-fhir/start.ts';
import { keepOf, sandboxBundle } from '../../support/fhir-sandbox.ts';

const { server } = await startHospital();

beforeEach(() => server.reset());
afterEach(() => {
  jest.restoreAllMocks();
});

const runSeed = (wait: number, signal = new AbortController().signal) =>
  seed(fhir.settings.parse({ baseUrl: server.url }), {
    bundle: keepOf(sandboxBundle, { Patient: [], Schedule: [] }),
    timeZone: sandbox.timeZone,
    now: '2026-11-23T15:00:00.000Z',
    days: 1,
    wait,
    signal,
  });

const reply = (status: number, body: string) => (): ReturnType<Exclude<Fault['answer'], string>> => ({
  status,
  headers: { 'content-type': body.startsWith('{') ? 'application/fhir+json' : 'text/html' },
  body,
});

/** What the server answers instead of its CapabilityStatement, and what happens when it is asked for that. */
const start = (answer: Fault['answer'], happen = () => {}) => {
  server.quirks.fault = ({ path }) => {
    if (path !== 'metadata') return undefined;
    happen();
    return { commits: false, answer };
  };
};
/** So many seconds pass at once. */
function later(seconds: number): void {
  const now = performance.now();
  jest.spyOn(performance, 'now').mockImplementation(() => now + seconds * 1000);
}

describe('sowing into a server that is still starting', () => {
  test('waits for it as long as it was told to, until somebody interrupts that', async () => {
    const interrupt = new AbortController();
    start('hang', () => {
      later(59);
      interrupt.abort();
    });
    await expect(runSeed(60, interrupt.signal)).rejects.toMatchObject({ name: 'AbortError' });
  });

  test.each<[string, string, Fault['answer']]>([
    ['cuts connections', 'unavailable', 'reset'],
    ['answers 503', 'unavailable', reply(503, '')],
    ['answers 404', 'bad_answer', reply(404, '<h1>Not Found</h1>')],
    ['answers with a page', 'bad_answer', reply(200, '<h1>Starting</h1>')],
  ])('gives up after the time to wait, and says what it did last: it %s', async (_, kind, answer) => {
    start(answer, () => later(61));
    await expect(runSeed(60)).rejects.toMatchObject({ name: 'Failure', kind });
  });

  test('gives up at once when it speaks another version of FHIR', async () => {
    start(reply(200, '{"resourceType":"CapabilityStatement","fhirVersion":"5.0.0"}'));
    await expect(runSeed(60)).rejects.toMatchObject({ name: 'Failure', kind: 'unsupported' });
    expect(server.requests.all).toHaveLength(1);
  });
});
