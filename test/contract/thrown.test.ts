import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import {
  type Case,
  cases,
  createPortsSubject,
  describeContract,
  portCases,
  runCase,
  sandbox,
  type Test,
} from '../../src/contract/index.ts';
import { explainThrown } from '../../src/contract/thrown.ts';
import { type Call, Failure, type Practitioner } from '../../src/ports/index.ts';
import { replace } from '../support/faults/port-fault.ts';
import { openSandbox } from '../support/sandbox.ts';

const findCase = (id: string): Case => [...cases, ...portCases].find((each) => each.id === id)!;

const startWith = (list: () => Promise<readonly Practitioner[]>) => async () =>
  createPortsSubject({ ports: { practitioners: { list } }, fixtures: sandbox });

const answers = findCase('document.GET /practitioner/.answers');
const here = /at test\/contract\/thrown\.test\.ts:\d+:\d+$/;

describe('what a case that fails says of the adapter', () => {
  test('is the place in an answer that does not fit, and no value', async () => {
    const whole = await openSandbox().practitioners.list(
      createPortsSubject({ ports: {}, fixtures: sandbox }).createCall(),
    );
    const wrong = whole.map((each) => ({ ...each, email: 5 })) as unknown as Practitioner[];
    const { reason } = await runCase(
      answers,
      startWith(async () => wrong),
    );
    expect(reason).toContain('502 backend_invalid_response instead of 200');
    expect(reason?.split('\n').at(-1)).toBe(
      'a response of the adapter has a wrong value at practitioner/0/email: Invalid input: expected string, received number',
    );
  });

  test('is the first line of the author’s code that a bug went through', async () => {
    const rows = undefined as unknown as readonly Practitioner[];
    const { reason } = await runCase(
      answers,
      startWith(async () => rows.map((each) => each)),
    );
    const told = reason?.split('\n').at(-1);
    expect(told).toMatch(/^the adapter threw TypeError: Cannot read properties of undefined \(reading 'map'\) at /);
    expect(told).toMatch(here);
  });

  test('is told too where the case calls the port itself, and where it expects a failure', async () => {
    const list = async () => JSON.parse('Ana Ferreyra');
    for (const id of ['ports.practitioners.list.returned', 'ports.practitioners.list.aborted']) {
      const { reason } = await runCase(findCase(id), startWith(list));
      expect(reason).toMatch(/the adapter threw SyntaxError at /);
      expect(reason).not.toContain('Ferreyra');
    }
  });

  test('is a Failure of its system, with the code that it was given', async () => {
    const list = () =>
      Promise.reject(
        new Failure('bad_answer', 'the system answered something else', { at: 'rows', cause: { code: 'HTTP_404' } }),
      );
    const { reason } = await runCase(answers, startWith(list));
    expect(reason).toMatch(
      /the adapter failed with bad_answer \(rows, HTTP_404\): the system answered something else at /,
    );
  });

  test('is what an answer looks like that should have been none', async () => {
    const { patients } = openSandbox();
    const get = (id: string, call: Call) => patients.get(id === sandbox.unknown ? 'ana' : id, call);
    const { reason } = await runCase(findCase('document.GET /patients/{id}.unknown'), async () =>
      createPortsSubject({ ports: { patients: { get } }, fixtures: sandbox }),
    );
    expect(reason).toMatch(/answers 200 \{ id: string, .*address: \{ .*street: string.* instead of 404 not_found/);
  });

  test('begins with the promise that the watch found broken, where a request led to it', async () => {
    const { patients } = openSandbox();
    const register = () => Promise.reject(new Failure('conflict', 'Zulma has it', { code: 'identity_conflict' }));
    const ports = { patients: replace(patients, { register }) };
    const { outcome, reason } = await runCase(findCase('patients.register.twice'), async () =>
      createPortsSubject({ ports, fixtures: sandbox }),
    );
    expect(outcome).toBe('fail');
    expect(reason).toMatch(
      /^(?:AssertionError .*: )?a Failure of register contains a value of a call or of a returned patient: Zulma/,
    );
  });

  test('is the cause of the error that a test runner shows, and in its message', async () => {
    const bug = new Error('Ana');
    const tests = new Map<string, Parameters<Test>[1]>();
    const runner: Test = Object.assign((title: string, run: Parameters<Test>[1]) => tests.set(title, run), {
      skip: () => {},
    });
    await describeContract(
      runner,
      startWith(() => Promise.reject(bug)),
      { cases: [answers] },
    );
    const [run] = [...tests.values()];
    await expect(run?.()).rejects.toMatchObject({
      cause: bug,
      message: expect.stringMatching(/the adapter threw Error at /),
    });
    await expect(run?.()).rejects.toMatchObject({ stack: expect.stringContaining('the adapter threw Error at ') });
  });
});

describe('what was thrown in an adapter', () => {
  const throwIn = (work: () => unknown): string => {
    try {
      work();
    } catch (error) {
      return explainThrown(error);
    }
    throw new Error('it threw nothing');
  };

  test.each([
    [() => new Date(Number.NaN).toISOString(), 'RangeError: Invalid time value'],
    [
      () => (undefined as unknown as string[]).length,
      "TypeError: Cannot read properties of undefined (reading 'length')",
    ],
    [() => JSON.parse('{"name": Ana}'), 'SyntaxError'],
    [() => 'x' in ('Ana' as unknown as object), 'TypeError'],
  ])('says the sentence of the language, and none that may hold a value: %#', (work, expected) => {
    expect(throwIn(work)).toMatch(new RegExp(`^the adapter threw ${RegExp.escape(expected)} at `));
  });

  test('names the place where a schema of the author’s own did not fit', () => {
    expect(throwIn(() => z.object({ rows: z.array(z.string()) }).parse({ rows: ['Ana', 5] }))).toMatch(
      /^the adapter threw ZodError, rows\/1: Invalid input: expected string, received number at /,
    );
  });
});
