import { describe, expect, jest, test } from '@jest/globals';
import {
  cases,
  createPortsSubject,
  describeContract,
  type Subject,
  sandbox,
  type Test,
} from '../../src/contract/index.ts';
import { type Call, Failure } from '../../src/ports/index.ts';
import { openSandbox } from '../support/sandbox.ts';

/** A subject that offers nothing but the directory. */
const startDirectory = () => createPortsSubject({ ports: { directory: openSandbox().directory }, fixtures: sandbox });

/** A fault: each location is listed twice. */
async function listTwice(call: Call) {
  const found = await openSandbox().directory.locations(call);
  return [...found, ...found];
}

/** A runner that only notes what it is given. */
function createRunner() {
  const tests = new Map<string, Parameters<Test>[1]>();
  const skipped: string[] = [];
  const runner: Test = Object.assign((title: string, run: Parameters<Test>[1]) => tests.set(title, run), {
    skip: (title: string) => skipped.push(title),
  });
  return { runner, tests, skipped };
}

describe('describeContract', () => {
  test('makes a test of each promise that the subject offers', async () => {
    const { runner, tests } = createRunner();
    await describeContract(runner, startDirectory);
    const run = tests.get(
      'directory.locations: the locations of the institution are listed without duplicates, each with an address',
    );
    await expect(run?.()).resolves.toBeUndefined();
  });

  test('skips what is not offered as one test for each reason, which names the cases', async () => {
    const { runner, skipped } = createRunner();
    await describeContract(runner, startDirectory);
    const reason = 'skipped, because patients.search is not offered: ';
    const ofSearch = skipped.filter((title) => title.includes(reason));
    expect(ofSearch).toEqual([expect.stringMatching(/^\d+ cases skipped, .*[ ,]patients\.search\.nobody(,|$)/)]);
    expect(skipped.filter((title) => !/^(one case|\d+ cases) skipped, because .+: .+$/.test(title))).toEqual([]);
  });

  test('says of an operation that is not offered that it answers 501', async () => {
    const { runner, tests } = createRunner();
    await describeContract(runner, startDirectory);
    const title = 'document.GET /patients/{id}.answers: GET /patients/{id} answers 501 if patients.get is not offered';
    await expect(tests.get(title)?.()).resolves.toBeUndefined();
  });

  test('fails what would be skipped on a subject that is said to be complete', async () => {
    const { runner, tests, skipped } = createRunner();
    await describeContract(runner, startDirectory, { complete: true });
    expect(skipped).toEqual([]);
    const run = tests.get('patients.search.nobody: search returns an empty list if no patient matches');
    await expect(run?.()).rejects.toThrow('skipped: patients.search is not offered');
  });

  test('skips by the runner what a rule of the system refuses while it runs, and passes where that cannot be told', async () => {
    const { runner, tests } = createRunner();
    await describeContract(runner, async () => {
      const subject = createPortsSubject({ ports: openSandbox(), fixtures: sandbox });
      const body = { code: 'not_implemented', detail: 'That is kept nowhere.' };
      return { ...subject, send: async () => ({ status: 501, headers: {}, body }) };
    });
    const [, run] = [...tests].find(([title]) => title.startsWith('patients.update.country: '))!;
    const skip = jest.fn();
    await run({ skip });
    expect(skip).toHaveBeenCalledWith('the system does not accept a value: That is kept nowhere.');
    // As jest does; a test with a parameter would wait for its call.
    expect(run).toHaveLength(0);
    await expect(run()).resolves.toBeUndefined();
  });

  test('judges by what the gateway decides a server alone, and no adapter', async () => {
    const listMisfits = async (subject: Subject) => {
      const { runner, tests } = createRunner();
      await describeContract(runner, () => subject);
      return [...tests.keys()].filter((title) => title.startsWith('document.POST /patients/.misfits'));
    };
    const { supports, fixtures, now, send } = createPortsSubject({ ports: openSandbox(), fixtures: sandbox });
    expect(await listMisfits({ supports, fixtures, now, send })).toHaveLength(1);
    expect(await listMisfits(createPortsSubject({ ports: openSandbox(), fixtures: sandbox }))).toEqual([]);
  });

  test('skips a failure that is known for its reason, and fails one that passes after all', async () => {
    const { runner, tests } = createRunner();
    const known = {
      'directory.locations': 'the list is mended in May',
      'ports.directory.locations.returned': 'it is slow',
    };
    const ports = { directory: { ...openSandbox().directory, locations: listTwice } };
    await describeContract(runner, () => createPortsSubject({ ports, fixtures: sandbox }), { known });
    const prove = (id: string) => [...tests].find(([title]) => title.startsWith(`${id}: `))?.[1];
    const skip = jest.fn();
    await prove('directory.locations')?.({ skip });
    expect(skip).toHaveBeenCalledWith('a known failure: the list is mended in May');
    await expect(prove('ports.directory.locations.returned')?.({ skip })).rejects.toThrow(
      'it passes, although it is named as a known failure: it is slow',
    );
  });

  test('fails one case when the system is unreachable, and skips all others for that reason', async () => {
    const { runner, tests } = createRunner();
    const locations = () => Promise.reject(new Failure('unavailable', 'no system'));
    const start = () => createPortsSubject({ ports: { directory: { locations } }, fixtures: sandbox });
    const ofLocations = cases.filter(({ needs }) => needs === 'directory.locations');
    await describeContract(runner, start, { cases: ofLocations });
    const failures: string[] = [];
    const skip = jest.fn();
    for (const run of tests.values()) await run({ skip }).catch(({ message }: Error) => failures.push(message));
    expect(failures).toEqual([expect.stringMatching(/502/)]);
    expect(skip.mock.calls).toEqual(
      [...tests].slice(1).map(() => ['the system is unreachable, no answer came: 502 backend_unavailable']),
    );
    expect(tests.size).toBeGreaterThan(1);
  });

  test('fails one test for all fixtures that are wrong, and skips the cases that need them', async () => {
    const { runner, tests, skipped } = createRunner();
    const locations = { first: 'nowhere', another: 'norte' };
    const start = () =>
      createPortsSubject({ ports: { directory: openSandbox().directory }, fixtures: { ...sandbox, locations } });
    await describeContract(runner, start);
    const failures: string[] = [];
    const skip = jest.fn();
    for (const run of tests.values()) await run({ skip }).catch(({ message }: Error) => failures.push(message));
    const problem = 'locations.first: GET /location/ lists no such id: correct the id or the adapter';
    expect(failures).toEqual([problem]);
    expect(skip.mock.calls).toContainEqual([problem]);
    expect(skipped.length).toBeGreaterThan(0);
  });

  test('prints a reason once where the runner cannot skip a test that runs', async () => {
    const { runner, tests } = createRunner();
    const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    try {
      const ports = { directory: { ...openSandbox().directory, locations: listTwice } };
      const known = { 'directory.locations': 'the list is mended in May' };
      await describeContract(runner, () => createPortsSubject({ ports, fixtures: sandbox }), { known });
      const [, run] = [...tests].find(([title]) => title.startsWith('directory.locations: '))!;
      await run();
      await run();
      expect(write.mock.calls).toEqual([
        [
          expect.stringMatching(
            /^directory\.locations: .*: skipped, .* with this reason: a known failure: the list is mended in May\n$/,
          ),
        ],
      ]);
    } finally {
      write.mockRestore();
    }
  });

  test('says by which seed a case that fails picked', async () => {
    const { runner, tests } = createRunner();
    const ports = { directory: { ...openSandbox().directory, locations: listTwice } };
    await describeContract(runner, () => createPortsSubject({ ports, fixtures: sandbox }), { seed: 4711 });
    const [, run] = [...tests].find(([title]) => title.startsWith('directory.locations: '))!;
    await expect(run()).rejects.toThrow('picked by PUENTE_CONTRACT_SEED=4711');
  });

  test('starts a subject of its own for each test', async () => {
    const { runner, tests } = createRunner();
    let started = 0;
    await describeContract(runner, async () => {
      started++;
      return startDirectory();
    });
    const before = started;
    for (const run of [...tests.values()].slice(0, 3)) await run();
    expect(started).toBe(before + 3);
  });
});
