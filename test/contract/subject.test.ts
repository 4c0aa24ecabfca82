import console from 'node:console';
import { describe, expect, test } from '@jest/globals';
import { takePatient } from '../../src/contract/arrange.ts';
import { getBody } from '../../src/contract/expect.ts';
import { createPortsSubject, watchFixtures } from '../../src/contract/subject.ts';
import { Skipped } from '../../src/contract/thrown.ts';
import { watchFailures } from '../../src/contract/watch.ts';
import { type Call, Failure, type Offer, type PatientRegistration, type PatientSearch } from '../../src/ports/index.ts';
import { readSecret } from '../../src/toolkit/secret.ts';
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
    expect(() => fixtures.passport).toThrow(new Skipped('the fixtures do not name passport'));
    expect(() => fixtures.patients.bare).toThrow(new Skipped('the fixtures do not name patients.bare'));
    expect(() => fixtures.services.bookable).toThrow(new Skipped('the fixtures do not name services.bookable'));
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
      message: expect.stringContaining('contains a value of a call'),
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

describe('secrets of the settings under watch', () => {
  process.env.WATCHED_SECRET = 'norte-secreto';
  process.env.WATCHED_ADDRESS = 'postgres://puente:clave%2Fdel%20sur@db.example/his';

  /** The result for a caller if the settings were read and the method does this. */
  const tell = async (act: () => unknown): Promise<unknown> => {
    readSecret('env:WATCHED_SECRET', 'password');
    readSecret('env:WATCHED_ADDRESS', 'url');
    const { directory } = watchFailures({
      directory: { entries: async (_call: Call) => act() as never },
    } satisfies Offer);
    return directory.entries(callNow()).catch((error: unknown) => error);
  };
  const fail = (message: string, cause?: unknown) => () => {
    throw new Failure('unavailable', message, { cause });
  };

  test.each<[string, () => unknown]>([
    ['in a Failure', fail('no such patient (asked as puente:norte-secreto)')],
    ['in the code under a Failure', fail('no answer', { code: 'norte-secreto' })],
    ['in Base64', fail(`refused Basic ${Buffer.from('puente:norte-secreto').toString('base64')}`)],
    ['as the password of an address', fail('cannot reach puente:clave/del sur@db')],
    ['in another error', () => Promise.reject(new TypeError('no norte-secreto'))],
    ['in an answer', () => [{ source: 'https://puente:norte-secreto@his.example' }]],
    ['in the console', () => console.warn('login norte-secreto')],
  ])('fail the case %s, and its message says none', async (_, act) => {
    const error = await tell(act);
    expect(error).toMatchObject({ name: 'AssertionError', message: expect.stringContaining('contains a secret') });
    expect(String(error)).not.toContain('norte-secreto');
  });

  test('let an answer with a large file pass, and are seen in it', async () => {
    const file = 'x'.repeat(9_800_000);
    expect(await tell(() => [{ file }])).toEqual([{ file }]);
    expect(await tell(() => [{ file, by: 'norte-secreto' }])).toMatchObject({ name: 'AssertionError' });
  });

  test('are not seen where nothing says them', async () => {
    expect(await tell(fail('the system refuses the login'))).toBeInstanceOf(Failure);
    expect(await tell(() => [])).toEqual([]);
  });
});

test('a record that a list omits under watch names no patient', async () => {
  const list = (element: string) => {
    const { patients } = watchFailures({
      patients: {
        search: async (_criteria: object, call: Call) => {
          call.omit({ resourceType: 'Patient', element }, patient.id);
          return [patient];
        },
      },
    } satisfies Offer);
    return patients.search({ identifier: '31465466' }, callNow());
  };
  await expect(list('birthDate')).resolves.toHaveLength(1);
  for (const text of [patient.lastName, '31465466'])
    await expect(list(`name ${text}`)).rejects.toMatchObject({ name: 'AssertionError' });
});

describe('the output of the process under watch', () => {
  const { stderr } = process;

  test('is that of the calls, and not of whoever writes beside them', async () => {
    const { write } = stderr;
    const directory = {
      locations: async (_call: Call) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return [];
      },
    };
    const ports = watchFailures({ directory }, undefined, ['Ferreyra']);
    const work = ports.directory.locations(callNow());
    stderr.write('a report of a runner about Ferreyra\n');
    await expect(work).resolves.toEqual([]);
    expect(stderr.write).toBe(write);
  });

  test.each<[string, string | Uint8Array]>([
    ['a text', 'of Ferreyra\n'],
    ['bytes', Buffer.from('of Ferreyra\n')],
  ])('fails a call that writes %s, and names it', async (_what, text) => {
    const directory = {
      entries: async (_call: Call) => {
        await new Promise((resolve) => setTimeout(resolve, 1));
        stderr.write(text);
        return [];
      },
      locations: async (_call: Call) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return [];
      },
    };
    const ports = watchFailures({ directory }, undefined, ['Ferreyra']);
    const beside = ports.directory.locations(callNow());
    await expect(ports.directory.entries(callNow())).rejects.toMatchObject({
      name: 'AssertionError',
      message: expect.stringContaining('the output of entries contains a value'),
    });
    await expect(beside).resolves.toEqual([]);
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

test('reads wait after a write for as long as the system lags', async () => {
  const registered: string[] = [];
  const ports = {
    patients: {
      register: async (_person: PatientRegistration, _call: Call) => {
        setTimeout(() => registered.push('ana'), 20);
        return patient;
      },
    },
  };
  const subject = createPortsSubject({ ports, fixtures: { ...named, lag: 60 } });
  await subject.getPort('patients').register(person, subject.createCall());
  expect(registered).toEqual(['ana']);
});

test('a request of the kit that is refused before the adapter was asked says so', async () => {
  const refuse = async (_id: string, _call: Call): Promise<never> => {
    throw new Failure('not_found', 'there is no such patient');
  };
  const subject = createPortsSubject({ ports: { patients: { get: refuse } }, fixtures: named });
  const read = (id: string) => getBody(subject, { route: 'GET /patients/{id}', params: { id } });
  await expect(read('two words')).rejects.toThrow('the adapter was not called');
  await expect(read('bruno')).rejects.toThrow(/^(?!.*was not asked)/s);
});
