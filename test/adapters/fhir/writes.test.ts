import { describe, expect, test } from '@jest/globals';
import { NON_ATOMIC_TRANSACTION } from '../../../adapters/fhir/rest/errors.ts';
import { confirmWrite, retryOnConflict } from '../../../adapters/fhir/writes.ts';
import { type Call, Failure, type Insurance, type Patients } from '../../../src/ports/index.ts';
import { startDroppingProxy } from '../../support/dropping-proxy.ts';
import { connect } from '../../support/fhir-adapter.ts';
import { callNow, matchFailure } from '../../support/fhir-calls.ts';
import { setUpHospital } from '../../support/fhir-hospital.ts';

const unknown = new Failure('outcome_unknown', '');

function confirm(failure: Error | undefined, find: (call: Call) => Promise<string | undefined>, call = callNow()) {
  const write = async () => {
    if (failure) throw failure;
    return 'written';
  };
  return confirmWrite(write, find, call);
}

const refuseToLook = (): never => {
  throw new Error('it looked');
};

describe('a write', () => {
  test('that succeeds is not looked for', async () => {
    expect(await confirm(undefined, refuseToLook)).toBe('written');
  });

  test('of unknown outcome is what is found', async () => {
    expect(await confirm(unknown, async () => 'found')).toBe('found');
  });

  test('of unknown outcome is looked for also when the call has ended', async () => {
    const find = async ({ signal }: Call) => (signal.aborted ? undefined : 'found');
    expect(await confirm(unknown, find, callNow({ signal: AbortSignal.abort() }))).toBe('found');
  });

  test.each([
    ['is not found', async () => undefined],
    ['cannot be looked for', () => Promise.reject(new Failure('unavailable', ''))],
  ])('of unknown outcome that %s stays one', async (_, find) => {
    await expect(confirm(unknown, find)).rejects.toBe(unknown);
  });

  test.each([
    ['was refused', new Failure('conflict', '')],
    ['was done in part', new Failure('outcome_unknown', '', { code: NON_ATOMIC_TRANSACTION })],
    ['met a bug', new TypeError('x')],
  ])('that %s is not looked for', async (_, failure) => {
    await expect(confirm(failure, refuseToLook)).rejects.toBe(failure);
  });
});

const { server, id } = await setUpHospital();

const at = async (takesDeletes: boolean) =>
  (await connect({ url: await startDroppingProxy(server.url, takesDeletes) }, { retries: 0 })).ports;

const [tidy, stubborn] = [await at(true), await at(false)];

const person = { identifier: { type: 'DNI', value: '85000001' }, birthDate: '1990-02-01', gender: 'Female' } as const;

const register = (patients: Patients) => patients.register(person, callNow());

const addCoverage = (insurance: Insurance) => {
  const beneficiaryId = id('Patient/bruno');
  return insurance.create({ beneficiaryId, planId: id('InsurancePlan/osde-210'), credentialNumber: 'N-1' }, callNow());
};

describe('a server that drops the identifier of what is created', () => {
  test('has no patient more after three registrations, each of which fails', async () => {
    const before = await server.search('Patient');
    for (const _ of [1, 2, 3]) {
      await expect(register(tidy.patients)).rejects.toEqual(
        matchFailure('bad_answer', { cause: { code: 'identifier_not_kept' }, at: 'Patient/identifier' }),
      );
    }
    expect(await server.search('Patient')).toHaveLength(before.length);
  });

  test('has no coverage and no relative more', async () => {
    const count = async () =>
      [await server.search('Coverage'), await server.search('RelatedPerson')].map((all) => all.length);
    const before = await count();
    await expect(addCoverage(tidy.insurance)).rejects.toMatchObject({ kind: 'bad_answer' });
    const member = {
      relatedPatientId: id('Patient/elena'),
      relationshipCode: 2,
      relationshipDescription: '',
      active: true,
    };
    const add = tidy['family-groups'].add(id('Patient/bruno'), member, callNow());
    await expect(add).rejects.toMatchObject({ kind: 'bad_answer' });
    expect(await count()).toEqual(before);
  });

  test('leaves it unknown what was done, where it removes nothing', async () => {
    await expect(register(stubborn.patients)).rejects.toEqual(
      matchFailure('outcome_unknown', { cause: { code: 'identifier_not_kept' } }),
    );
    await expect(addCoverage(stubborn.insurance)).rejects.toMatchObject({ kind: 'outcome_unknown' });
  });
});

const conflict = new Failure('conflict', '', { code: 'version_conflict' });

const lost = new Failure('outcome_unknown', '');

/** Fails with these in turn, and then succeeds with the numbers of the attempts that it was told. */
async function attempt(failures: readonly Error[], retries?: number, signal = new AbortController().signal) {
  const told: number[] = [];
  const work = async (earlier: number): Promise<string> => {
    told.push(earlier);
    const failure = failures[earlier];
    if (failure) throw failure;
    return 'done';
  };
  const result = await retryOnConflict(work, callNow({ signal }), retries).catch((error: unknown) => error);
  return { result, told };
}

describe('a write that met a conflict', () => {
  test('is tried again, and told how often it was', async () => {
    expect(await attempt([conflict, conflict])).toEqual({ result: 'done', told: [0, 1, 2] });
  });

  test('fails with the eleventh conflict', async () => {
    const told = Array.from({ length: 11 }, (_, earlier) => earlier);
    expect(await attempt(told.map(() => conflict))).toEqual({ result: conflict, told });
  });

  test('is not tried again when the caller gives up during the pause', async () => {
    const caller = new AbortController();
    const work = attempt([conflict, conflict], undefined, caller.signal);
    process.nextTick(() => caller.abort());
    expect(await work).toEqual({ result: conflict, told: [0] });
  });

  test('is tried again as often as it is said', async () => {
    expect(await attempt([conflict, conflict], 1)).toEqual({ result: conflict, told: [0, 1] });
  });

  test.each([
    ['a conflict of another kind', new Failure('conflict', '', { code: 'identity_conflict' })],
    ['an answer that was lost', lost],
    ['another failure', new Failure('unavailable', '')],
    ['a bug', new TypeError('x')],
  ])('is not tried again after %s', async (_, failure) => {
    expect(await attempt([failure])).toEqual({ result: failure, told: [0] });
  });

  test('is not tried again when the caller has given up', async () => {
    expect(await attempt([conflict], undefined, AbortSignal.abort())).toEqual({ result: conflict, told: [0] });
  });
});
