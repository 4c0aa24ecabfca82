import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { createPortsSubject, type Line, runCases, sandbox } from '../../src/contract/index.ts';
import { Failure, type FailureKind } from '../../src/ports/index.ts';
import { replace } from '../support/faults/port-fault.ts';
import { all } from '../support/legal-case.ts';
import { openSandbox } from '../support/sandbox.ts';

const login = { method: 'POST', path: '/login', headers: [], connection: 1, isLogin: true };
const line: Pick<Line, 'fail' | 'takeRequests'> = {
  fail: { logout: async () => async () => {} },
  takeRequests: () => [login],
};

/** The time limit of the adapter, and the time of a response in milliseconds. */
interface Times {
  readonly limit: number;
  readonly ms: number;
}

const quiet: Times = { limit: 300, ms: 0 };

afterEach(() => {
  jest.restoreAllMocks();
});

/**
 * The outcome of the case if callers with these numbers fail. Time passes only in calls, so that no busy machine
 * decides, and simultaneous callers wait in the same time.
 */
async function run(id: string, kind: FailureKind, isFailing: (caller: number) => boolean, { limit, ms } = quiet) {
  let callers = 0;
  let now = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  const { practitioners, ...ports } = openSandbox();
  const list: typeof practitioners.list = async (call) => {
    const fails = isFailing(callers++);
    const end = now + (fails ? limit : ms);
    await Promise.resolve();
    now = Math.max(now, end);
    if (fails) throw new Failure(kind, 'the system does not answer');
    return practitioners.list(call);
  };
  const subject = createPortsSubject({
    ports: { ...ports, practitioners: replace(practitioners, { list }) },
    fixtures: sandbox,
    line,
  });
  const found = all.filter((each) => each.id === id);
  return (await runCases(found, async () => subject)).map(({ outcome }) => outcome);
}

describe.each(['ports.practitioners.list.logout', 'ports.practitioners.list.crowd'])('%s', (id) => {
  test('blames no caller who times out in one crowd, as on a busy machine', async () => {
    expect(await run(id, 'timeout', (caller) => caller === 5)).toEqual(['pass']);
  });

  test('blames callers who time out in each crowd', async () => {
    expect(await run(id, 'timeout', (caller) => caller > 0 && caller % 14 === 5)).toEqual(['fail']);
  });

  test('is skipped where the time limit passes sooner than single callers in a row have their responses', async () => {
    const busy: Times = { limit: 60, ms: 50 };
    expect(await run(id, 'timeout', (caller) => caller > 0 && caller % 14 === 5, busy)).toEqual(['skip']);
  });

  test('blames a caller who gets another failure once', async () => {
    expect(await run(id, 'unavailable', (caller) => caller === 5)).toEqual(['fail']);
  });
});
