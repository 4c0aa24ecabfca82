import { describe, expect, test } from '@jest/globals';
import type { Patient, Slot } from '@medplum/fhirtypes';
import type { PatientChanges, PatientRegistration } from '../../../../src/ports/index.ts';
import { addMinutes, Calendar } from '../../../hospital-in-fhir/calendar.ts';
import { concept, ownCodes, ownExtension, ownIds, terms } from '../../../hospital-in-fhir/terms.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

// What legal but untidy data do to writes. How they are shown is in foreign-hospital.test.ts.

const { server, id, ports } = await setUpHospital();

const DNI = '40222333';
const makePatient = (name: string, rest: object = {}) =>
  server.load({
    resourceType: 'Patient',
    id: name,
    gender: 'female',
    birthDate: '1990-02-01',
    identifier: [{ system: terms.dni, value: DNI }],
    ...rest,
  });
const person: PatientRegistration = {
  identifier: { type: 'DNI', value: DNI },
  birthDate: '1990-02-01',
  gender: 'Female',
};
const countPatients = async () => (await server.search('Patient')).length;

describe('registering a person', () => {
  test.each(['40.222.333', '040222333', '0040222333', '040.222.333', '40 222 333', '040 222 333', '40.222333'])(
    'finds the patient whose DNI the server spells %s, and creates no other',
    async (value) => {
      makePatient('conocida', { identifier: [{ system: terms.dni, value }] });
      const before = await countPatients();
      expect(await ports.patients.register(person, callNow())).toMatchObject({
        id: 'conocida',
        identifier: { type: 'DNI', value: DNI },
      });
      expect(await countPatients()).toBe(before);
    },
  );

  test.each([
    ['Passport', 'ab-749326x', 'AB-749326X'],
    ['Passport', 'AB 749 326', 'AB749326'],
    ['Other', 'M 12.749326', 'M12.749326'],
    ['Other', '43 302 750', '43302750'],
  ] as const)('finds the %s that the server spells %s and that is shown as %s', async (type, value, shown) => {
    const system = type === 'Passport' ? terms.passport : ownIds('other');
    makePatient('conocida', { identifier: [{ system, value }] });
    const identifier = { type, value: shown };
    expect(await ports.patients.search({ identifierType: type, identifier: shown }, callNow())).toMatchObject([
      { id: 'conocida', identifier },
    ]);
    expect(await ports.patients.search({ identifier: shown }, callNow())).toHaveLength(1);
    const before = await countPatients();
    expect((await ports.patients.register({ ...person, identifier }, callNow())).id).toBe('conocida');
    expect(await countPatients()).toBe(before);
  });

  test.each([
    ['DNI', '40,222,333', '40222333'],
    ['DNI', '40-222-333', '40222333'],
    ['DNI', "40'222'333", '40222333'],
    ['DNI', '40’222’333', '40222333'],
    ['DNI', '40\u00a0222\u00a0333', '40222333'],
    ['DNI', 'DNI 40.222.333', '40222333'],
    ['Passport', 'AB,749,326', 'AB,749,326'],
    ['Passport', "AB-749'326", "AB-749'326"],
  ] as const)('finds the %s that the server spells %s by what is shown of it, %s', async (type, value, shown) => {
    makePatient('conocida', { identifier: [{ system: type === 'DNI' ? terms.dni : terms.passport, value }] });
    const [found] = await ports.patients.search({ identifierType: type, identifier: shown }, callNow());
    expect(found).toMatchObject({ id: 'conocida', identifier: { type, value: shown } });
  });

  test.each([
    ['DNI', '40222333', ['D.N.I. Nº 40222333', '40_222_333', 'dni:40222333', '40/222/333', '00000040222333']],
    ['Passport', 'AAB749326', ['aAb749326', 'Aab749 326', 'A A B 749326', 'AAB 749\u00a0326', 'A\u200bAB749326']],
    ['Other', '20-40222333-7a', ['20 - 40222333 - 7A', '20-40222333-7 A', '20-4022 2333-7a']],
  ] as const)('compares the %s %s with those born on that day, in any spelling', async (type, value, spellings) => {
    const system = { DNI: terms.dni, Passport: terms.passport, Other: ownIds('other') }[type];
    for (const spelling of spellings) {
      makePatient('conocida', { identifier: [{ system, value: spelling }] });
      const before = await countPatients();
      const identifier = { type, value };
      expect([spelling, (await ports.patients.register({ ...person, identifier }, callNow())).id]).toEqual([
        spelling,
        'conocida',
      ]);
      expect(await countPatients()).toBe(before);
      const criteria = { identifierType: type, identifier: value, birthDate: person.birthDate };
      expect(await ports.patients.search(criteria, callNow())).toMatchObject([{ id: 'conocida' }]);
    }
  });

  test.each([
    ['DNI', '40222333', ['40-222-334', '4022233.3', '402223²33', '4022 2333', '40.222,333', '4022233e1']],
    ['Passport', 'AAB749326', ['AAB-749326', 'AAB/749326', 'AAB_749326']],
    ['Other', '20-40222333-7', ['20402223337', '20.40222333.7', '20-40.222.333-7']],
  ] as const)('makes somebody else than the %s %s of those born on that day with %j', async (type, value, others) => {
    const system = { DNI: terms.dni, Passport: terms.passport, Other: ownIds('other') }[type];
    for (const other of others) {
      makePatient('otra', { identifier: [{ system, value: other }] });
      const criteria = { identifierType: type, identifier: value, birthDate: person.birthDate };
      expect(await ports.patients.search(criteria, callNow())).toEqual([]);
    }
    expect((await ports.patients.register({ ...person, identifier: { type, value } }, callNow())).id).not.toBe('otra');
  });

  test('finds a document of letters under the system of the DNI as it is shown', async () => {
    makePatient('conocida', { identifier: [{ system: terms.dni, value: 'm 12.749326' }] });
    const [found] = await ports.patients.search({ identifier: 'M 12.749326' }, callNow());
    expect(found).toMatchObject({ id: 'conocida', identifier: { type: 'DNI', value: 'M 12.749326' } });
  });

  test('finds a DNI of seven digits that the server fills up with a zero', async () => {
    makePatient('conocida', { identifier: [{ system: terms.dni, value: '06.543.211' }] });
    const identifier = { type: 'DNI', value: '6543211' } as const;
    expect((await ports.patients.register({ ...person, identifier }, callNow())).id).toBe('conocida');
  });

  test('finds who is known under the older system of the DNI', async () => {
    const elena = { identifier: { type: 'DNI', value: '6543210' }, birthDate: '1951-01-09', gender: 'Female' } as const;
    expect((await ports.patients.register(elena, callNow())).id).toBe(id('Patient/elena'));
  });

  test('writes a new DNI plain', async () => {
    const { id: created } = await ports.patients.register(person, callNow());
    expect((await server.read('Patient', created)).identifier?.[0]?.value).toBe(DNI);
  });

  test.each(['1990', '1990-02', undefined])('ends in the patient of whom the birth date %s is known', async (known) => {
    makePatient('conocida', { birthDate: known });
    expect(await ports.patients.register(person, callNow())).toMatchObject({ id: 'conocida', birthDate: '' });
  });

  test.each(['1991', '1990-03'])('is a conflict with the birth date %s', async (known) => {
    makePatient('otra', { birthDate: known });
    await expect(ports.patients.register(person, callNow())).rejects.toMatchObject({ code: 'identity_conflict' });
  });

  test.each([
    ['1990-02-01', '1990'],
    ['1990', undefined],
  ])('prefers the patient of whom %s is known as the birth date to one of whom %s is', async (more, less) => {
    makePatient('menos', { birthDate: less });
    makePatient('mas', { birthDate: more });
    expect((await ports.patients.register(person, callNow())).id).toBe('mas');
  });

  test.each([undefined, 'unknown'] as const)('ends in the patient of whom the gender %s is known', async (gender) => {
    makePatient('conocida', { gender });
    expect(await ports.patients.register(person, callNow())).toMatchObject({ id: 'conocida', gender: 'Other' });
  });

  test.each(['male', 'other'] as const)('is a conflict with the gender %s', async (gender) => {
    makePatient('otra', { gender });
    await expect(ports.patients.register(person, callNow())).rejects.toMatchObject({ code: 'identity_conflict' });
  });

  test.each([
    ['the gender', {}, { gender: undefined }],
    ['the birth date', { gender: undefined }, { birthDate: '1990' }],
  ])('prefers the patient of whom %s is known', async (_, more, less) => {
    makePatient('menos', less);
    makePatient('mas', more);
    expect((await ports.patients.register(person, callNow())).id).toBe('mas');
  });

  test('ends in the survivor of a merger, be the other one active or not', async () => {
    makePatient('fusionada', { active: true, link: [{ other: { reference: 'Patient/viva' }, type: 'replaced-by' }] });
    makePatient('viva');
    expect((await ports.patients.register(person, callNow())).id).toBe('viva');
  });

  test('ends in the same survivor as a read where a record was merged eight times in a row', async () => {
    for (const step of Array(8).keys()) {
      const other = { reference: `Patient/paso-${step + 1}` };
      makePatient(`paso-${step}`, { active: true, link: [{ other, type: 'replaced-by' }] });
    }
    makePatient('paso-8');
    expect((await ports.patients.get('paso-0', callNow())).id).toBe('paso-8');
    expect((await ports.patients.register(person, callNow())).id).toBe('paso-8');
  });

  test('creates nobody while the only holder of the document cannot be read', async () => {
    makePatient('ilegible', { birthDate: '01/02/1990' });
    const before = await countPatients();
    await expect(ports.patients.register(person, callNow())).rejects.toMatchObject({ kind: 'bad_answer' });
    expect(await countPatients()).toBe(before);
  });
});

describe('changing a patient', () => {
  const change = async (name: Patient['name'], changes: PatientChanges) => {
    makePatient('ella', { name });
    await ports.patients.update('ella', changes, callNow());
    const { name: shown, lastName } = await ports.patients.get('ella', callNow());
    return { shown, lastName, stored: (await server.read('Patient', 'ella')).name };
  };

  test('in one part of a name that is only text keeps the other', async () => {
    expect(await change([{ text: 'Paz, Ana Lucía' }], { lastName: 'Sosa' })).toEqual({
      shown: 'Ana Lucía',
      lastName: 'Sosa',
      stored: [{ use: 'official', given: ['Ana', 'Lucía'], family: 'Sosa', text: 'Ana Lucía Sosa' }],
    });
    expect(await change([{ text: 'Ana Lucía' }], { lastName: 'Sosa' })).toMatchObject({
      shown: 'Ana Lucía',
      lastName: 'Sosa',
    });
    expect(await change([{ text: 'Paz, Ana Lucía' }], { name: 'Eva' })).toMatchObject({
      shown: 'Eva',
      lastName: 'Paz',
    });
  });

  test('changes the name that is in force and leaves maiden and ended ones', async () => {
    const maiden = { use: 'maiden', family: 'Soltera', given: ['Ana'] } as const;
    const ended = { use: 'official', family: 'Anterior', given: ['Ana'], period: { end: '2019' } } as const;
    const usual = { use: 'usual', family: 'Vigente', given: ['Ana'], period: { start: '2001' } } as const;
    const names = [maiden, ended, usual].map((name) => ({ ...name, given: [...name.given] }));
    expect(await change(names, { lastName: 'Nueva' })).toEqual({
      shown: 'Ana',
      lastName: 'Nueva',
      stored: [maiden, ended, { ...usual, family: 'Nueva', text: 'Ana Nueva' }],
    });
  });

  test('adds a name where there is nothing but a maiden name', async () => {
    const maiden = { use: 'maiden', family: 'Soltera', given: ['Ana'] } as const;
    expect(await change([{ ...maiden, given: ['Ana'] }], { lastName: 'Casada' })).toEqual({
      shown: 'Ana',
      lastName: 'Casada',
      stored: [maiden, { use: 'official', given: ['Ana'], family: 'Casada', text: 'Ana Casada' }],
    });
  });

  test('leaves a telephone that ended', async () => {
    const ended = { system: 'phone', use: 'mobile', value: '1', period: { end: '2020' } } as const;
    makePatient('ella', { telecom: [ended] });
    await ports.patients.update('ella', { phone: '2' }, callNow());
    expect((await server.read('Patient', 'ella')).telecom).toEqual([ended, { system: 'phone', value: '2' }]);
  });

  test('from a wrong document lets its real holder be registered', async () => {
    const identifier = [
      { system: terms.dni, value: '11111111', use: 'old' },
      { system: terms.dni, value: DNI, use: 'official' },
      { system: 'http://renaper.gob.ar/dni', value: '40.222.333' },
    ] as const;
    makePatient('ella', { identifier });
    await ports.patients.update('ella', { identifier: { type: 'DNI', value: '33333333' } }, callNow());
    const { identifier: shown } = await ports.patients.get('ella', callNow());
    expect(shown).toEqual({ type: 'DNI', value: '33333333' });
    const holder = await ports.patients.register({ ...person, birthDate: '1990-01-01', gender: 'Male' }, callNow());
    expect(holder.id).not.toBe('ella');
    const [found] = await ports.patients.search({ identifier: '11111111' }, callNow());
    expect(found?.id).toBe('ella');
  });

  test('to a document that another patient has, spelled with dots, is a conflict', async () => {
    makePatient('otra', { identifier: [{ system: terms.dni, value: '40.222.333' }] });
    const work = ports.patients.update(id('Patient/bruno'), { identifier: person.identifier }, callNow());
    await expect(work).rejects.toMatchObject({ code: 'identity_conflict' });
  });
});

describe('a slot of odd length', () => {
  const start = new Calendar(new Date()).ago(-40, '06:00');
  const load = (name: string, from: number, seconds: number, rest: Partial<Slot> = {}) => {
    const begin = addMinutes(start, from);
    const end = new Date(Date.parse(begin) + seconds * 1000).toISOString();
    const schedule = { reference: `Schedule/${id('Schedule/paz-central')}` };
    server.load({ resourceType: 'Slot', id: name, schedule, status: 'free', start: begin, end, ...rest });
  };
  const book = (from: number, minutes?: number) =>
    ports.appointments.book(
      id('Patient/ana'),
      {
        serviceId: id('HealthcareService/consulta-clinica'),
        practitionerIds: [id('Practitioner/paz')],
        start: addMinutes(start, from).slice(0, 19),
        ...(minutes !== undefined && { minutes }),
      },
      callNow(),
    );

  test('is booked for its whole minutes, and the list of appointments stays readable', async () => {
    load('hasta-59', 0, 20 * 60 - 1);
    const { id: booked } = await book(0);
    const { items } = await ports.appointments.list(id('Patient/ana'), { order: 'ascending' }, callNow());
    expect(items.find((each) => each.id === booked)?.minutes).toBe(20);
  });

  test('is followed by the next one', async () => {
    load('hasta-59', 0, 20 * 60 - 1);
    load('siguiente', 20, 20 * 60 - 1);
    const { id: booked } = await book(0, 40);
    expect((await server.read('Appointment', booked)).slot).toHaveLength(2);
  });

  test.each([
    ['of no length', 0],
    ['of less than a minute', 40],
    ['that ends before it begins', -600],
  ])('%s is none', async (_, seconds) => {
    load('raro', 0, seconds);
    await expect(book(0)).rejects.toMatchObject({ kind: 'invalid', code: 'slot_unknown' });
  });

  test('that is overbooked is taken', async () => {
    load('sobrecupo', 0, 1200, { overbooked: true });
    await expect(book(0)).rejects.toMatchObject({ kind: 'conflict', code: 'slot_taken' });
    expect((await server.read('Slot', 'sobrecupo')).status).toBe('free');
  });
});

describe('a service with limits of age', () => {
  const limit = (name: string, url: 'minAge' | 'maxAge', valueInteger: number) =>
    server.load({
      resourceType: 'HealthcareService',
      id: name,
      name,
      type: [concept(ownCodes('hcs'), name)],
      extension: [{ url: ownExtension('hcs-eligibility'), extension: [{ url, valueInteger }] }],
    });
  const year = new Date().getFullYear();

  test.each([
    ['a child of whom only the year is known', String(year - 5), ['para-ninos']],
    ['an adult of whom only the year is known', String(year - 40), ['para-adultos']],
    ['somebody who may have come of age this year', String(year - 18), ['para-adultos']],
    ['somebody of whom nothing is known', undefined, ['para-adultos', 'para-ninos']],
  ])('is offered to %s unless it certainly excludes the age', async (_, birthDate, offered) => {
    limit('para-adultos', 'minAge', 18);
    limit('para-ninos', 'maxAge', 14);
    makePatient('quien', { birthDate });
    const services = await ports['care-services'].available({ patientId: 'quien' }, callNow());
    expect(services.map(({ id: given }) => given).filter((given) => given.startsWith('para-'))).toEqual(offered);
  });
});

describe('what is named and cannot be read', () => {
  test('is no unknown service or plan: it is a bad answer', async () => {
    server.load({ resourceType: 'HealthcareService', id: 'rota', name: ['S'] });
    server.load({ resourceType: 'InsurancePlan', id: 'roto', name: ['P'] });
    const slots = ports.appointments.slots({ serviceId: 'rota' }, callNow());
    await expect(slots).rejects.toMatchObject({ kind: 'bad_answer' });
    const wanted = { beneficiaryId: id('Patient/ana'), planId: 'roto', credentialNumber: '1' };
    await expect(ports.insurance.create(wanted, callNow())).rejects.toMatchObject({ kind: 'bad_answer' });
  });
});
