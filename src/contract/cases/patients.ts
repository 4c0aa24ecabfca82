import assert from 'node:assert/strict';
import { dayAhead, freshPatient, newDni, newPerson, type Person } from '../arrange.ts';
import type { Case } from '../case.ts';
import { answer, faulty, refused } from '../expect.ts';
import type { Request, Subject } from '../subject.ts';

interface Patient extends Omit<Person, 'identifier'> {
  readonly id: string;
  readonly identifier: number | string;
  readonly name: string;
  readonly address: Readonly<Record<string, string>>;
}

const search = async (subject: Subject, query: Readonly<Record<string, string>>): Promise<Patient[]> =>
  (await answer<{ patients: Patient[] }>(subject, { route: 'GET /patients/search', query })).patients;

const ids = (patients: readonly Patient[]): string[] => patients.map(({ id }) => id);

const get = (subject: Subject, id: string): Promise<Patient> =>
  answer(subject, { route: 'GET /patients/{id}', params: { id } });

const registration = (body: object): Request => ({ route: 'POST /patients/', body });
const register = (subject: Subject, body: object): Promise<Patient> => answer(subject, registration(body));

const update = (id: string, body: object): Request => ({ route: 'PUT /patients/{id}', params: { id }, body });

const slashes = (day: string): string => day.replaceAll('-', '/');

const searches = { level: 'safe', needs: 'patients.search', section: '4.A' } as const;
const registers = { level: 'write', needs: 'patients.register', also: ['patients.get'], section: '4.A' } as const;
const updates = {
  level: 'write',
  needs: 'patients.update',
  also: ['patients.register', 'patients.get'],
  section: '4.A',
} as const;

const searchCases: readonly Case[] = [
  {
    ...searches,
    id: 'patients.search.identifier',
    title: 'search finds a patient by type and number of the identifier',
    run: async (subject) => {
      const { identity, patients } = subject.fixtures;
      const query = { identifier_type: identity.identifierType, identifier: String(identity.identifier) };
      const [found, ...others] = await search(subject, query);
      assert.equal(found?.id, patients.complete);
      assert.equal(found.identifier, identity.identifier);
      assert.deepEqual(others, []);
    },
  },
  {
    ...searches,
    id: 'patients.search.any-type',
    title: 'search by a number alone finds an identifier of any type',
    run: async (subject) => {
      const { identity, patients, passport } = subject.fixtures;
      assert.ok(ids(await search(subject, { identifier: String(identity.identifier) })).includes(patients.complete));
      assert.ok(ids(await search(subject, { identifier: passport })).includes(patients.passportHolder));
    },
  },
  {
    ...searches,
    id: 'patients.search.written',
    title: 'search takes a DNI with dots and leading zeros for the same number',
    run: async (subject) => {
      const { identity, patients } = subject.fixtures;
      const dotted = String(identity.identifier).replaceAll(/\B(?=(\d{3})+$)/g, '.');
      assert.deepEqual(ids(await search(subject, { identifier_type: 'DNI', identifier: dotted })), [patients.complete]);
      const zeros = `0${identity.identifier}`;
      assert.deepEqual(ids(await search(subject, { identifier_type: 'DNI', identifier: zeros })), [patients.complete]);
    },
  },
  {
    ...searches,
    id: 'patients.search.passport',
    title: 'search shows an identifier with letters as text',
    run: async (subject) => {
      const { patients, passport } = subject.fixtures;
      const [found] = await search(subject, { identifier_type: 'Passport', identifier: passport });
      assert.equal(found?.id, patients.passportHolder);
      assert.equal(found.identifier, passport);
    },
  },
  {
    ...searches,
    id: 'patients.search.demographics',
    title: 'search by birth date and gender finds those who have both',
    run: async (subject) => {
      const { identity, patients } = subject.fixtures;
      const found = await search(subject, { birth_date: slashes(identity.birthDate), gender: identity.gender });
      assert.ok(ids(found).includes(patients.complete));
      for (const { birth_date, gender } of found) {
        assert.deepEqual({ birth_date, gender }, { birth_date: identity.birthDate, gender: identity.gender });
      }
    },
  },
  {
    ...searches,
    id: 'patients.search.dashes',
    title: 'search takes a birth date with dashes for the same day',
    run: async (subject) => {
      const { birthDate, gender } = subject.fixtures.identity;
      const dashed = ids(await search(subject, { birth_date: birthDate, gender }));
      assert.deepEqual(dashed, ids(await search(subject, { birth_date: slashes(birthDate), gender })));
      assert.ok(dashed.includes(subject.fixtures.patients.complete));
    },
  },
  {
    ...searches,
    id: 'patients.search.all-criteria',
    title: 'search finds nobody when one of several criteria does not hold',
    run: async (subject) => {
      const { identity } = subject.fixtures;
      const number = { identifier_type: identity.identifierType, identifier: String(identity.identifier) };
      assert.equal((await search(subject, number)).length, 1);
      assert.deepEqual(await search(subject, { ...number, gender: 'Other' }), []);
      assert.deepEqual(await search(subject, { ...number, birth_date: '1901/01/01' }), []);
      assert.deepEqual(await search(subject, { ...number, identifier_type: 'Passport' }), []);
    },
  },
  {
    ...searches,
    id: 'patients.search.nobody',
    title: 'search answers an empty list when nobody matches',
    run: async (subject) => {
      assert.deepEqual(await search(subject, { identifier_type: 'DNI', identifier: String(newDni()) }), []);
    },
  },
  {
    ...searches,
    id: 'patients.search.criteria',
    title: 'search needs an identifier, or a birth date with a gender',
    run: async (subject) => {
      for (const query of [{}, { gender: 'Female' }, { birth_date: '1985/11/30' }, { identifier_type: 'DNI' }]) {
        await refused(subject, { route: 'GET /patients/search', query }, 422, 'validation');
      }
    },
  },
  {
    ...searches,
    level: 'write',
    also: ['patients.register'],
    id: 'patients.search.too-wide',
    title: 'search returns 50 patients, and refuses when more match',
    run: async (subject) => {
      const person = { birth_date: `19${String(newDni()).slice(-2)}/02/03`, gender: 'Other' };
      const found = await search(subject, person);
      for (let count = found.length; count < 50; count++) await freshPatient(subject, person);
      assert.equal((await search(subject, person)).length, 50);
      await freshPatient(subject, person);
      await refused(subject, { route: 'GET /patients/search', query: person }, 422, 'search_too_wide');
    },
  },
];

const registerCases: readonly Case[] = [
  {
    ...registers,
    also: ['patients.get', 'patients.search'],
    id: 'patients.register.read-back',
    title: 'register keeps what was given, for get and search to show',
    run: async (subject) => {
      const person = {
        ...newPerson(),
        name: 'Olga',
        last_name: 'Prueba',
        address: { city: 'Salta', zip_code: 'A4400' },
      };
      const registered = await register(subject, person);
      assert.deepEqual(await get(subject, registered.id), registered);
      const { id, medical_record_id, ...shown } = registered as Patient & { medical_record_id: string };
      assert.deepEqual(shown, { ...person, birth_date: '1992-04-17' });
      const [found] = await search(subject, { identifier: String(person.identifier) });
      assert.deepEqual(found, { ...registered, status: 'Active' });
    },
  },
  {
    ...registers,
    id: 'patients.register.twice',
    title: 'register answers the patient who exists already, unchanged',
    run: async (subject) => {
      const person = newPerson();
      const first = await register(subject, person);
      const second = await register(subject, { ...person, phone: '+54 9 11 5555-0123', email: 'other@example.org' });
      assert.deepEqual(second, first);
      assert.deepEqual(await get(subject, first.id), first);
    },
  },
  {
    ...registers,
    also: ['patients.search'],
    id: 'patients.register.parallel',
    title: 'register makes one patient of ten parallel registrations of one person',
    run: async (subject) => {
      const person = newPerson();
      const query = { identifier_type: 'DNI', identifier: String(person.identifier) };
      assert.deepEqual(await search(subject, query), []);
      const answers = await Promise.all(Array.from({ length: 10 }, () => register(subject, person)));
      assert.equal(new Set(ids(answers)).size, 1);
      assert.equal((await search(subject, query)).length, 1);
    },
  },
  {
    ...registers,
    also: ['patients.get', 'patients.search'],
    id: 'patients.register.conflict',
    title: 'register refuses an identifier of somebody with another birth date or gender, and changes nothing',
    run: async (subject) => {
      const person = newPerson();
      const before = await register(subject, person);
      await refused(subject, registration({ ...person, birth_date: '1992/04/18' }), 409, 'identity_conflict');
      await refused(subject, registration({ ...person, gender: 'Male' }), 409, 'identity_conflict');
      assert.deepEqual(await get(subject, before.id), before);
      assert.equal((await search(subject, { identifier: String(person.identifier) })).length, 1);
    },
  },
  {
    ...registers,
    id: 'patients.register.written',
    title: 'register takes dashes in the birth date, and text, dots and zeros in the DNI, for the same person',
    run: async (subject) => {
      const person = newPerson();
      const { id } = await register(subject, person);
      const digits = String(person.identifier);
      const dotted = `0${digits.slice(0, 2)}.${digits.slice(2, 5)}.${digits.slice(5)}`;
      const again = await register(subject, { ...person, birth_date: '1992-04-17', identifier: dotted });
      assert.equal(again.id, id);
      assert.equal(again.identifier, person.identifier);
    },
  },
  {
    ...registers,
    also: ['patients.get'],
    id: 'patients.register.passport',
    title: 'register keeps the letters of a passport',
    run: async (subject) => {
      const passport = `PX${newDni()}`;
      const { id } = await register(subject, { ...newPerson(), identifier_type: 'Passport', identifier: passport });
      const { identifier_type, identifier } = await get(subject, id);
      assert.deepEqual({ identifier_type, identifier }, { identifier_type: 'Passport', identifier: passport });
    },
  },
  {
    ...registers,
    also: [],
    id: 'patients.register.unborn',
    title: 'register takes who was born today, and refuses who is born tomorrow',
    run: async (subject) => {
      const today = slashes(dayAhead(subject, 0));
      const tomorrow = slashes(dayAhead(subject, 1));
      await register(subject, { ...newPerson(), birth_date: today });
      await faulty(subject, registration({ ...newPerson(), birth_date: tomorrow }), 'body /birth_date');
    },
  },
];

const updateCases: readonly Case[] = [
  {
    ...updates,
    id: 'patients.update.read-back',
    title: 'update changes every field that is given',
    run: async (subject) => {
      const id = await freshPatient(subject);
      const changes = {
        name: 'Irma',
        last_name: 'Cambiada',
        gender: 'Other',
        birth_date: '1971-02-28',
        identifier_type: 'Other',
        identifier: newDni(),
        medical_record_id: `HC-${newDni()}`,
        phone: '+54 9 11 5555-0177',
        email: 'irma@example.org',
        address: { street: 'Belgrano', number: '77', city: 'Rosario', state: 'Santa Fe' },
      };
      assert.notDeepEqual(await get(subject, id), { id, ...changes });
      assert.deepEqual(await answer(subject, update(id, changes)), {});
      assert.deepEqual(await get(subject, id), { id, ...changes });
    },
  },
  {
    ...updates,
    id: 'patients.update.others-stay',
    title: 'update leaves the fields that are not given, and replaces an address as a whole',
    run: async (subject) => {
      const { id } = await register(subject, { ...newPerson(), address: { street: 'Mitre', city: 'Junín' } });
      const before = await get(subject, id);
      await answer(subject, update(id, { phone: '+54 9 11 5555-0166' }));
      assert.deepEqual(await get(subject, id), { ...before, phone: '+54 9 11 5555-0166' });
      await answer(subject, update(id, { address: { city: 'Azul' } }));
      assert.deepEqual((await get(subject, id)).address, { city: 'Azul' });
    },
  },
  {
    ...updates,
    also: ['patients.register', 'patients.search'],
    id: 'patients.update.found-again',
    title: 'update lets search find the patient by the new identifier, and no longer by the old one',
    run: async (subject) => {
      const person = newPerson();
      const id = await freshPatient(subject, person);
      const identifier = newDni();
      assert.deepEqual(ids(await search(subject, { identifier: String(person.identifier) })), [id]);
      await answer(subject, update(id, { identifier_type: 'DNI', identifier }));
      assert.deepEqual(ids(await search(subject, { identifier: String(identifier) })), [id]);
      assert.deepEqual(await search(subject, { identifier: String(person.identifier) }), []);
    },
  },
  {
    ...updates,
    id: 'patients.update.conflict',
    title: 'update refuses an identifier that another patient holds, and changes nothing',
    run: async (subject) => {
      const other = newPerson();
      await freshPatient(subject, other);
      const id = await freshPatient(subject);
      const before = await get(subject, id);
      const changes = { identifier_type: 'DNI', identifier: other.identifier, phone: '+54 9 11 5555-0155' };
      await refused(subject, update(id, changes), 409, 'identity_conflict');
      assert.deepEqual(await get(subject, id), before);
    },
  },
  {
    ...updates,
    id: 'patients.update.same-identifier',
    title: 'update takes the identifier that the patient has already',
    run: async (subject) => {
      const person = newPerson();
      const id = await freshPatient(subject, person);
      const { identifier_type, identifier } = person;
      await answer(subject, update(id, { identifier_type, identifier, email: 'same@example.org' }));
      assert.equal((await get(subject, id)).email, 'same@example.org');
    },
  },
  {
    ...updates,
    id: 'patients.update.unborn',
    title: 'update refuses a birth date that lies ahead',
    run: async (subject) => {
      const id = await freshPatient(subject);
      const before = await get(subject, id);
      await faulty(subject, update(id, { birth_date: dayAhead(subject, 1) }), 'body /birth_date');
      assert.deepEqual(await get(subject, id), before);
    },
  },
];

export const patientCases: readonly Case[] = [...searchCases, ...registerCases, ...updateCases];
