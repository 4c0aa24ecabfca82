import { expect, test } from '@jest/globals';
import {
  createPortsSubject,
  lostRequestCases,
  type Response,
  runCase,
  type Subject,
  sandbox,
} from '../../../src/contract/index.ts';
import { openSandbox } from '../../support/sandbox.ts';

/** A gateway, told by what it does with a write while the answer of its system is lost. */
const startGateway = (write: (send: () => Promise<Response>) => Promise<Response>) => async (): Promise<Subject> => {
  const { send, supports, now, fixtures } = createPortsSubject({ ports: openSandbox(), fixtures: sandbox });
  const kept = new Map<string, Response>();
  let isLost = false;
  return {
    send: async (request) => {
      const key = request.headers?.['idempotency-key'];
      const earlier = key === undefined ? undefined : kept.get(key);
      if (earlier) return earlier;
      const work = () => send(request);
      const response = isLost ? await write(work) : await work();
      if (key !== undefined) kept.set(key, response);
      return response;
    },
    ...{ supports, now, fixtures },
    fail: {
      lost: async () => {
        isLost = true;
        return async () => {
          isLost = false;
        };
      },
    },
  };
};

const answer = (status: number): Response => ({ status, headers: {}, body: {} });

test.each(lostRequestCases.map((each) => [each.id, each] as const))(
  '%s holds a gateway to what it says',
  async (_, each) => {
    const run = (write: Parameters<typeof startGateway>[0]) => runCase(each, startGateway(write));
    const isLost = run((send) => send().then(() => answer(504)));
    expect(await isLost).toMatchObject({ outcome: 'pass' });
    const isUnavailable = run((send) => send().then(() => answer(502)));
    expect(await isUnavailable).toMatchObject({
      outcome: 'fail',
      reason: expect.stringContaining('it answers 502, and has been done'),
    });
    const isInvented = run(async () => answer(201));
    expect(await isInvented).toMatchObject({ outcome: 'fail' });
    const isThere = run((send) => send());
    expect(await isThere).toMatchObject({ outcome: 'pass' });
  },
);
