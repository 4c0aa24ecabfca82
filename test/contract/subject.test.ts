import console from 'node:console';
import { describe, expect, test } from '@jest/globals';
import { takePatient } from '../../src/contract/arrange.ts';
import { createPortsSubject, watchFailures, watchFixtures } from '../../src/contract/subject.ts';
import { Skipped } from '../../src/contract/thrown.ts';
import { type Call, Failure, type Offer, type PatientRegistration, type PatientSearch } from '../../src/ports/index.ts';
import { callNow } from '../support/fhir-calls.ts';
import { patient } from '../support/guarded-gateway.ts';

const named = { timeZone: 'UTC', locale: 'es-AR', unknown: 'x', patients: { complete: 'ana' } };

describe('watched fixtures', () => {
  test('have what is named', () => {
    expect(watchFixtures(named).patients.complete).toBe('ana');
    expect(watchFixtures(named).timeZone).toBe('UTC');
  });

  test('skip a case that reads what a capability promises and is missing, and say its name', () => {
    const fixtures = watchFixtures(named);
    expect(() => fixtures.passport).toThrow(new Skipped('the fixtures name no passport'));
    expect(() => fixtures.patients.bare).toThrow(new Skipped('the fixtures name no patients.bare'));
    expect(() => fixtures.services.bookable).toThrow(new Skipped('the fixtures name no services.bookable'));
  });

  test('have nothing where no capability promises it', () => {
    const fixtures = watchFixtures(named);
    expect([fixtures.patients.payer, fixtures.cancelUntilHours]).toEqual([undefined, undefined]);
  });

  test('give each case that registers nobody the next of the spare patients', async () => {
    const fixtures = { ...named, patients: { spare: ['ana', 'bruno', 'camila'] } };
    const subject = createPortsSubject({ ports: {}, fixtures });
    const taken: string[] = [];
    for (let turn = 0; turn < 4; turn++) {
      taken.push(await takePatient({ ...subject, fixtures: watchFixtures(fixtures) }));
    }
    expect(new Set(taken.slice(0, 3)).size).toBe(3);
    expect(taken[3]).toBe(taken[0]);
  });
});

const person: PatientRegistration = {
  identifier: { type: 'DNI', value: '99123456' },
  birthDate: '1992-04-17',
  gender: 'Female',
};

/** What a caller gets of a registration that fails with these words, or of a read after it. */
async function fail(message: string, at?: string): Promise<unknown> {
  const refuse = async (_first: unknown, _call: Call): Promise<never> => {
    throw new Failure('conflict', message, at === undefined ? {} : { at });
  };
  const { patients } = watchFailures({ patients: { register: refuse, get: refuse } } satisfies Offer);
  const first = await patients.register(person, callNow()).catch((error: unknown) => error);
  return first instanceof Failure ? patients.get('bruno', callNow()).catch((error: unknown) => error) : first;
}

describe('a failure under watch', () => {
  test('that says no value of what was given is as it was', async () => {
    expect(await fail('somebody has this document and another birthday')).toBeInstanceOf(Failure);
  });

  test.each([
    ['a document', 'there is a patient 99123456'],
    ['a birth date', 'born on 1992-04-17'],
    ['an id', 'there is no patient bruno'],
    ['an id first', 'bruno is no patient'],
  ])('that says %s fails the case', async (_, message) => {
    expect(await fail(message)).toMatchObject({
      name: 'AssertionError',
      message: expect.stringContaining('says what'),
    });
  });

  test('that names a field after a value fails the case', async () => {
    expect(await fail('no', 'identifier/99123456')).toMatchObject({ name: 'AssertionError' });
  });

  test('that says what the patients’ port returned fails the case', async () => {
    const { patients, appointments } = watchFailures({
      patients: { search: async (_criteria: PatientSearch, _call: Call) => [patient] },
      appointments: {
        cancel: async (_id: string, _appointment: string, _call: Call): Promise<void> => {
          throw new Failure('conflict', 'the Muñozes: it is too late for Muñoz');
        },
      },
    } satisfies Offer);
    await expect(appointments.cancel('a', 'b', callNow())).rejects.toBeInstanceOf(Failure);
    await patients.search({ identifier: '1' }, callNow());
    await expect(appointments.cancel('a', 'b', callNow())).rejects.toMatchObject({ name: 'AssertionError' });
  });
});

describe('the console under watch', () => {
  const write = (text: string) => {
    const { patients } = watchFailures({
      patients: {
        get: async (_id: string, _call: Call) => {
          console.info('found %s', text);
          return patient;
        },
      },
    } satisfies Offer);
    return patients.get('bruno', callNow());
  };

  test('may have what tells of nobody', async () => {
    await expect(write('a patient')).resolves.toBe(patient);
    await expect(write('brunoise')).resolves.toBe(patient);
  });

  test('fails a call that writes the name of a patient of the fixtures, whom no port has returned', async () => {
    const directory = {
      locations: async (_call: Call) => {
        console.info('of Ferreyra');
        return [];
      },
    };
    const ports = watchFailures({ directory }, undefined, [{ last_name: 'Ferreyra' }]);
    await expect(ports.directory.locations(callNow())).rejects.toMatchObject({ name: 'AssertionError' });
    await expect(watchFailures({ directory }).directory.locations(callNow())).resolves.toEqual([]);
  });

  test.each([
    ['an id that was given', 'bruno'],
    ['a name that is returned', patient.lastName],
  ])('fails a call that writes %s', async (_, text) => {
    await expect(write(text)).rejects.toMatchObject({ name: 'AssertionError' });
  });
});
