import assert from 'node:assert/strict';
import { getField } from '../../toolkit/records.ts';
import { createDni, createPerson, registerPatient } from '../arrange.ts';
import { type Case, defineCase } from '../case.ts';
import { checkSuccess, expectCount, expectFault, expectIds, expectProblem, getBody } from '../expect.ts';
import { computeDayAhead, findPatients, getPatient, ofPatient, toIds, toSlashDay } from '../queries.ts';
import { type PatientBody, showAddress } from '../resources.ts';
import type { Query, Request, Subject } from '../subject.ts';
import { Skipped } from '../thrown.ts';
import { buildPatientUpdate, buildRegistration } from './example-requests.ts';

const toRegisterRequest = (body: object): Request => ({ route: 'POST /patients/', body });
const register = (subject: Subject, body: object): Promise<PatientBody> => getBody(subject, toRegisterRequest(body));

const toUpdateRequest = (id: string, body: object) => ofPatient('PUT /patients/{id}', id, body);

/** A number of seven digits from the highest range, which has the fewest holders. */
const createShortDni = (): string => `9${String(createDni()).slice(2)}`;

/** The maximum number of days that are tried. A run of the contract creates 51 people with one birth date. */
const DAYS = 20;

/** A birth date of few people, so that a search returns them all. Returns the criteria of the search. */
async function findDayOfFew(subject: Subject): Promise<Readonly<Record<'birth_date' | 'gender', string>>> {
  for (let turn = 1; ; turn++) {
    const number = createDni();
    const [month, day] = [Math.floor(number / 100) % 12, Math.floor(number / 1_200) % 28];
    const birth_date = toSlashDay(new Date(Date.UTC(1900 + (number % 100), month, 1 + day)).toISOString().slice(0, 10));
    const query = { birth_date, gender: 'Other' };
    const { status } = await subject.send({ route: 'GET /patients/search', query });
    if (status !== 422 || turn === DAYS) return query;
  }
}

/** Broken DNIs: a float, an exponent, a superscript, a sign, a misplaced separator and a letter. */
const createBrokenDnis = (): string[] => {
  const digits = String(createDni());
  const broken = ['.0', ',5', 'e1', '²', '-1', ' 2', 'A3'].map((end) => `${digits.slice(0, 7)}${end}`);
  return [...broken, `${digits.slice(0, 2)}.${digits.slice(2, 5)},${digits.slice(5)}`];
};

/** A text in place of a missing name: marks alone, single letters such as `S/N`, or a value of a programming language. */
const placeholder = /^(?:\P{L}+|\p{sc=Latin}(?:\P{L}+\p{sc=Latin})+\P{L}*|null|undefined)$/iu;

const registerBase = { level: 'write', needs: 'patients.register' } as const;
const updateBase = {
  level: 'write',
  needs: 'patients.update',
  requires: ['patients.register', 'patients.get'],
} as const;

const renamedBase = { ...updateBase, requires: ['patients.register', 'patients.search'] } as const;

const registerCases: readonly Case[] = [
  defineCase({ ...registerBase, requires: ['patients.get', 'patients.search'] }, 'patients.register.read-back', {
    title: 'register stores every field, for get and search to return',
    rule: ['fewer-patient-fields', 'spelling', 'digits-only-phones', 'verified-later'],
    run: async (subject) => {
      const person = buildRegistration();
      const registered = await register(subject, person);
      assert.deepEqual(await getPatient(subject, registered.id), registered);
      const { id, ...shown } = registered;
      assert.deepEqual(shown, { ...person, birth_date: '1992-04-17' });
      const [found] = await findPatients(subject, { identifier: String(person.identifier) });
      assert.deepEqual(found, { ...registered, status: 'Active' });
    },
  }),
  defineCase({ ...registerBase, requires: ['patients.get'] }, 'patients.register.twice', {
    title: 'register returns an existing patient unchanged',
    run: async (subject) => {
      const person = createPerson();
      const first = await register(subject, person);
      const second = await register(subject, { ...person, phone: '+54 9 11 5555-0123', email: 'other@example.org' });
      assert.deepEqual(second, first);
      assert.deepEqual(await getPatient(subject, first.id), first);
    },
  }),
  defineCase({ ...registerBase, requires: ['patients.search'] }, 'patients.register.parallel', {
    title: 'register creates one patient from ten parallel registrations of one person',
    run: async (subject) => {
      const person = createPerson();
      const query = { identifier_type: 'DNI', identifier: String(person.identifier) };
      assert.deepEqual(await findPatients(subject, query), []);
      const answers = await Promise.all(Array.from({ length: 10 }, () => register(subject, person)));
      expectCount([...new Set(toIds(answers))], 1, 'different patients');
      expectCount(await findPatients(subject, query), 1, 'patients with that document');
    },
  }),
  defineCase({ ...registerBase, requires: ['patients.get', 'patients.search'] }, 'patients.register.conflict', {
    title:
      'register refuses an identifier of a person with another birth date or gender, names nobody, and changes nothing',
    run: async (subject) => {
      const person = createPerson();
      const before = await register(subject, person);
      for (const other of [{ birth_date: '1992/04/18' }, { gender: 'Male' }]) {
        await expectProblem(subject, toRegisterRequest({ ...person, ...other }), 409, 'identity_conflict');
      }
      assert.deepEqual(await getPatient(subject, before.id), before);
      expectCount(
        await findPatients(subject, { identifier: String(person.identifier) }),
        1,
        'patients with that document',
      );
    },
  }),
  defineCase(registerBase, 'patients.register.written', {
    title: 'register accepts dashes in the birth date, and text, dots and zeros in the DNI, for the same person',
    run: async (subject) => {
      const person = createPerson();
      const { id } = await register(subject, person);
      const digits = String(person.identifier);
      const dotted = `0${digits.slice(0, 2)}.${digits.slice(2, 5)}.${digits.slice(5)}`;
      const again = await register(subject, { ...person, birth_date: '1992-04-17', identifier: dotted });
      assert.equal(again.id, id);
      assert.equal(again.identifier, person.identifier);
    },
  }),
  defineCase({ ...registerBase, requires: ['patients.search'] }, 'patients.register.seven-digits', {
    title: 'register accepts a DNI of seven digits, and search finds the patient by it, even with dots',
    run: async (subject) => {
      const find = async (identifier: string) =>
        toIds(await findPatients(subject, { identifier_type: 'DNI', identifier }));
      let digits = createShortDni();
      while ((await find(digits)).length > 0) digits = createShortDni();
      const { id, identifier } = await register(subject, { ...createPerson(), identifier: Number(digits) });
      assert.equal(identifier, Number(digits));
      for (const written of [digits, digits.replace(/(.)(...)(...)/, '$1.$2.$3')]) {
        assert.deepEqual(await find(written), [id]);
      }
    },
  }),
  defineCase({ ...registerBase, requires: ['patients.get'] }, 'patients.register.least', {
    title: 'register leaves the contact empty that is not given, and shows no placeholder for a name',
    run: async (subject) => {
      const { name: _, last_name, phone, email, ...least } = createPerson();
      const response = await subject.send(toRegisterRequest(least));
      if (response.status === 422) throw new Skipped('the system registers nobody with the required fields alone');
      checkSuccess('POST /patients/', response, 200);
      const shown = await getPatient(subject, String(getField(response.body, 'id')));
      assert.deepEqual({ phone: shown.phone, email: shown.email }, { phone: '', email: '' });
      // A population register may know the name and the address.
      for (const name of [shown.name, shown.last_name]) {
        assert.doesNotMatch(name, placeholder, 'a placeholder is shown for a name that was not given');
      }
    },
  }),
  defineCase({ ...registerBase, requires: ['patients.search'] }, 'patients.register.same-number', {
    title: 'register distinguishes a DNI and a passport with the same number',
    run: async (subject) => {
      const person = createPerson();
      const ofDni = await register(subject, person);
      const passport = { ...createPerson(), identifier_type: 'Passport', identifier: String(person.identifier) };
      const response = await subject.send(toRegisterRequest(passport));
      if (response.status === 422) throw new Skipped('the system takes no passport that is a number');
      checkSuccess('POST /patients/', response, 200);
      const ofPassport = String(getField(response.body, 'id'));
      assert.notEqual(ofPassport, ofDni.id, 'two documents of different types are one patient');
      const identifier = String(person.identifier);
      const find = async (query: Query) => toIds(await findPatients(subject, { identifier, ...query }));
      assert.deepEqual(await find({ identifier_type: 'DNI' }), [ofDni.id]);
      assert.deepEqual(await find({ identifier_type: 'Passport' }), [ofPassport]);
      assert.deepEqual((await find({})).toSorted(), [ofDni.id, ofPassport].toSorted());
    },
  }),
  defineCase({ ...registerBase, requires: ['patients.get'] }, 'patients.register.passport', {
    title: 'register keeps the letters of a passport',
    run: async (subject) => {
      const passport = `PX${createDni()}`;
      const { id } = await register(subject, { ...createPerson(), identifier_type: 'Passport', identifier: passport });
      const { identifier_type, identifier } = await getPatient(subject, id);
      assert.deepEqual({ identifier_type, identifier }, { identifier_type: 'Passport', identifier: passport });
    },
  }),
  defineCase(registerBase, 'patients.register.not-a-dni', {
    title: 'register refuses a DNI that is not one number, such as a float, and does not convert it',
    run: async (subject) => {
      for (const identifier of createBrokenDnis()) {
        await expectFault(subject, toRegisterRequest({ ...createPerson(), identifier }), 'body /identifier');
      }
    },
  }),
  defineCase(registerBase, 'patients.register.unborn', {
    title: 'register accepts a person who was born today, and refuses one who is born tomorrow',
    run: async (subject) => {
      const today = toSlashDay(computeDayAhead(subject, 0));
      const tomorrow = toSlashDay(computeDayAhead(subject, 1));
      await register(subject, { ...createPerson(), birth_date: today });
      await expectFault(subject, toRegisterRequest({ ...createPerson(), birth_date: tomorrow }), 'body /birth_date');
    },
  }),
];

const updateCases: readonly Case[] = [
  defineCase(updateBase, 'patients.update.read-back', {
    title: 'update changes every given field',
    rule: ['fewer-patient-fields', 'spelling', 'digits-only-phones'],
    run: async (subject) => {
      const id = await registerPatient(subject);
      const changes = buildPatientUpdate();
      assert.notDeepEqual(await getPatient(subject, id), { id, ...changes });
      assert.deepEqual(await getBody(subject, toUpdateRequest(id, changes)), {});
      assert.deepEqual(await getPatient(subject, id), { id, ...changes });
    },
  }),
  defineCase(updateBase, 'patients.update.others-stay', {
    title: 'update keeps the fields that are not given, whichever field is given, and replaces an address as a whole',
    rule: ['fewer-patient-fields', 'spelling', 'digits-only-phones'],
    run: async (subject) => {
      const { id } = await register(subject, { ...createPerson(), address: { street: 'Mitre', city: 'Junín' } });
      let before = await getPatient(subject, id);
      const { identifier_type, identifier, address, ...others } = buildPatientUpdate();
      const fields = Object.entries(others).map((each): object => Object.fromEntries([each]));
      const shown = [...fields, { identifier_type, identifier }].map((change) => [change, change] as const);
      const addresses = [{ city: 'Azul' }, address].map(
        (each) => [{ address: each }, { address: showAddress(each) }] as const,
      );
      for (const [change, as] of [...shown, ...addresses]) {
        await getBody(subject, toUpdateRequest(id, change));
        const after = { ...before, ...as };
        assert.deepEqual(await getPatient(subject, id), after);
        before = after;
      }
    },
  }),
  defineCase({ ...updateBase, rule: ['fewer-patient-fields', 'spelling'] }, 'patients.update.address-parts', {
    title: 'update stores the given parts of an address: the others are empty, and floor and apartment are absent',
    run: async (subject) => {
      const id = await registerPatient(subject);
      for (const address of [{ apartment: 'B' }, { floor: '6', apartment: 'B', city: 'Azul' }, { number: '5480' }]) {
        await getBody(subject, toUpdateRequest(id, { address: { ...address, state: '', zip_code: ' ' } }));
        assert.deepEqual((await getPatient(subject, id)).address, showAddress(address));
      }
    },
  }),
  defineCase({ ...updateBase, rule: ['fewer-patient-fields', 'spelling'] }, 'patients.update.country', {
    title: 'a country code is returned as the name of the country',
    run: async (subject) => {
      const { id, address } = await register(subject, { ...createPerson(), address: { country: 'AR' } });
      assert.deepEqual(address, showAddress({ country: 'Argentina' }));
      assert.deepEqual((await getPatient(subject, id)).address, showAddress({ country: 'Argentina' }));
    },
  }),
  defineCase({ ...updateBase, rule: ['phone-required', 'spelling'] }, 'patients.update.blanks', {
    title: 'blanks around and within a name are removed, and a text of only blanks counts as absent',
    run: async (subject) => {
      const { id } = await register(subject, { ...createPerson(), name: ' Ana  María', last_name: "O'Higgins " });
      await getBody(subject, toUpdateRequest(id, { phone: ' ' }));
      const { name, last_name, phone } = await getPatient(subject, id);
      assert.deepEqual({ name, last_name, phone }, { name: 'Ana María', last_name: "O'Higgins", phone: '' });
      const nameless = toUpdateRequest(id, { name: '  ' });
      const { status } = await subject.send(nameless);
      // Where nobody is without a name, it is refused.
      if (status === 422) await expectFault(subject, nameless, 'body /name');
      else assert.equal((await getPatient(subject, id)).name, '');
    },
  }),
  defineCase(renamedBase, 'patients.update.found-again', {
    requires: ['patients.get'],
    title: 'after an update of the identifier, search finds the patient by the new one and no longer by the old one',
    run: async (subject) => {
      const person = createPerson();
      const id = await registerPatient(subject, person);
      const identifier = createDni();
      assert.deepEqual(toIds(await findPatients(subject, { identifier: String(person.identifier) })), [id]);
      await getBody(subject, toUpdateRequest(id, { identifier_type: 'DNI', identifier }));
      assert.deepEqual(toIds(await findPatients(subject, { identifier: String(identifier) })), [id]);
      assert.deepEqual(await findPatients(subject, { identifier: String(person.identifier) }), []);
    },
  }),
  defineCase({ ...renamedBase, rule: 'search-by-document' }, 'patients.update.found-by-birth', {
    requires: ['patients.get'],
    title: 'update lets search find the patient by the new birth date, and no longer by the old one',
    run: async (subject) => {
      const [before, after] = [await findDayOfFew(subject), await findDayOfFew(subject)];
      const id = await registerPatient(subject, before);
      const isFound = async (query: Query) => toIds(await findPatients(subject, query)).includes(id);
      const found = 'whether the patient is found by the first and by the second birth date';
      assert.deepEqual([await isFound(before), await isFound(after)], [true, false], found);
      await getBody(subject, toUpdateRequest(id, { birth_date: after.birth_date }));
      assert.deepEqual([await isFound(before), await isFound(after)], [false, true], `after the update, ${found}`);
    },
  }),
  defineCase({ ...updateBase, rule: 'one-document-per-person' }, 'patients.update.other-document', {
    requires: ['patients.search'],
    title:
      'update to a document of another type returns the new one, and search still finds the patient by the former one',
    run: async (subject) => {
      const person = createPerson();
      const id = await registerPatient(subject, person);
      const passport = `PX${createDni()}`;
      await getBody(subject, toUpdateRequest(id, { identifier_type: 'Passport', identifier: passport }));
      const { identifier_type, identifier } = await getPatient(subject, id);
      assert.deepEqual({ identifier_type, identifier }, { identifier_type: 'Passport', identifier: passport });
      for (const query of [
        { identifier_type: 'DNI', identifier: String(person.identifier) },
        { identifier: passport },
      ]) {
        assert.deepEqual(toIds(await findPatients(subject, query)), [id]);
      }
      assert.equal((await register(subject, person)).id, id);
    },
  }),
  defineCase(updateBase, 'patients.update.conflict', {
    title: 'update refuses an identifier that another patient holds, and changes nothing',
    run: async (subject) => {
      const other = createPerson();
      await registerPatient(subject, other);
      const id = await registerPatient(subject);
      const before = await getPatient(subject, id);
      const changes = { identifier_type: 'DNI', identifier: other.identifier, phone: '+54 9 11 5555-0155' };
      await expectProblem(subject, toUpdateRequest(id, changes), 409, 'identity_conflict');
      assert.deepEqual(await getPatient(subject, id), before);
    },
  }),
  defineCase(updateBase, 'patients.update.same-identifier', {
    title: 'update accepts the patient’s present identifier',
    run: async (subject) => {
      const person = createPerson();
      const id = await registerPatient(subject, person);
      const { identifier_type, identifier } = person;
      await getBody(subject, toUpdateRequest(id, { identifier_type, identifier, email: 'same@example.org' }));
      assert.equal((await getPatient(subject, id)).email, 'same@example.org');
    },
  }),
  defineCase(updateBase, 'patients.update.unborn', {
    title: 'update refuses a future birth date, but answers 404 for an unknown patient first',
    run: async (subject) => {
      const id = await registerPatient(subject);
      const before = await getPatient(subject, id);
      await expectFault(subject, toUpdateRequest(id, { birth_date: computeDayAhead(subject, 1) }), 'body /birth_date');
      assert.deepEqual(await getPatient(subject, id), before);
      const unknown = toUpdateRequest(subject.fixtures.unknown, { birth_date: computeDayAhead(subject, 1) });
      await expectProblem(subject, unknown, 404, 'not_found');
    },
  }),
];

/** Registering and updating. */
export const patientRecordCases: readonly Case[] = [...registerCases, ...updateCases];

const base = { level: 'safe', needs: 'patients.search' } as const;

export const patientSearchCases: readonly Case[] = [
  defineCase(base, 'patients.search.identifier', {
    title: 'search finds a patient by type and number of the identifier, and returns the number as a number',
    run: async (subject) => {
      const { identity, patients } = subject.fixtures;
      const query = { identifier_type: identity.identifierType, identifier: String(identity.identifier) };
      const [found, ...others] = await findPatients(subject, query);
      assert.equal(found?.id, patients.complete);
      assert.equal(found.identifier, identity.identifier);
      assert.deepEqual(others, []);
    },
  }),
  defineCase(base, 'patients.search.any-type', {
    title: 'search by a number alone finds an identifier of any type',
    run: async (subject) => {
      const { identity, patients, passport } = subject.fixtures;
      const find = async (identifier: string) => toIds(await findPatients(subject, { identifier }));
      const [ofNumber, ofPassport] = [await find(String(identity.identifier)), await find(passport)];
      expectIds(ofNumber, 'the search for the number of identity', { has: [patients.complete] });
      expectIds(ofPassport, 'the search for passport', { has: [patients.passportHolder] });
    },
  }),
  defineCase(base, 'patients.search.written', {
    title: 'search finds a DNI with dots and leading zeros',
    run: async (subject) => {
      const { identity, patients } = subject.fixtures;
      const dotted = String(identity.identifier).replaceAll(/\B(?=(\d{3})+$)/g, '.');
      for (const identifier of [dotted, `0${identity.identifier}`]) {
        const found = await findPatients(subject, { identifier_type: 'DNI', identifier });
        assert.deepEqual(toIds(found), [patients.complete]);
      }
    },
  }),
  defineCase(base, 'patients.search.passport', {
    title: 'search returns an identifier with letters as text',
    run: async (subject) => {
      const { patients, passport } = subject.fixtures;
      const [found] = await findPatients(subject, { identifier_type: 'Passport', identifier: passport });
      assert.equal(found?.id, patients.passportHolder);
      assert.equal(found.identifier, passport);
    },
  }),
  defineCase({ ...base, rule: 'search-by-document' }, 'patients.search.demographics', {
    title: 'search by birth date and gender finds the patients with both',
    run: async (subject) => {
      const { identity, patients } = subject.fixtures;
      const found = await findPatients(subject, {
        birth_date: toSlashDay(identity.birthDate),
        gender: identity.gender,
      });
      expectIds(toIds(found), 'the search for the birth date and gender of identity', { has: [patients.complete] });
      for (const { birth_date, gender } of found) {
        assert.deepEqual({ birth_date, gender }, { birth_date: identity.birthDate, gender: identity.gender });
      }
    },
  }),
  defineCase({ ...base, rule: 'search-by-document' }, 'patients.search.dashes', {
    title: 'search accepts dashes in a birth date',
    run: async (subject) => {
      const { birthDate, gender } = subject.fixtures.identity;
      const dashed = toIds(await findPatients(subject, { birth_date: birthDate, gender }));
      assert.deepEqual(dashed, toIds(await findPatients(subject, { birth_date: toSlashDay(birthDate), gender })));
      const { complete } = subject.fixtures.patients;
      expectIds(dashed, 'the search for a birth date with dashes', { has: [complete] });
    },
  }),
  defineCase({ ...base, rule: 'search-by-document' }, 'patients.search.all-criteria', {
    title: 'search finds no patient if one of several criteria differs',
    run: async (subject) => {
      const { identity, patients } = subject.fixtures;
      const number = { identifier_type: identity.identifierType, identifier: String(identity.identifier) };
      expectCount(await findPatients(subject, number), 1, 'patients with that document');
      assert.deepEqual(await findPatients(subject, { ...number, gender: 'Other' }), []);
      assert.deepEqual(await findPatients(subject, { ...number, birth_date: '1901/01/01' }), []);
      assert.deepEqual(await findPatients(subject, { ...number, identifier_type: 'Passport' }), []);
      const born = { birth_date: toSlashDay(identity.birthDate), gender: identity.gender };
      const ofDni = toIds(await findPatients(subject, { ...born, identifier_type: identity.identifierType }));
      expectIds(ofDni, 'the search for birth date, gender and DNI', { has: [patients.complete] });
      const ofPassport = toIds(await findPatients(subject, { ...born, identifier_type: 'Passport' }));
      const what = 'the search for birth date, gender and Passport (identity has no other document than a DNI)';
      expectIds(ofPassport, what, { lacks: [patients.complete] });
    },
  }),
  defineCase(base, 'patients.search.not-a-dni', {
    title: 'search refuses a DNI that is not one number, such as a float, and does not find another person',
    run: async (subject) => {
      for (const identifier of createBrokenDnis()) {
        const query = { identifier_type: 'DNI', identifier };
        await expectFault(subject, { route: 'GET /patients/search', query }, 'query /identifier');
      }
    },
  }),
  defineCase(base, 'patients.search.nobody', {
    title: 'search returns an empty list if no patient matches',
    run: async (subject) =>
      assert.deepEqual(await findPatients(subject, { identifier_type: 'DNI', identifier: String(createDni()) }), []),
  }),
  defineCase(base, 'patients.search.criteria', {
    title: 'search requires an identifier, or a birth date with a gender',
    run: async (subject) => {
      for (const query of [{}, { gender: 'Female' }, { birth_date: '1985/11/30' }, { identifier_type: 'DNI' }]) {
        await expectProblem(subject, { route: 'GET /patients/search', query }, 422, 'validation');
      }
    },
  }),
  defineCase({ ...base, level: 'write', requires: ['patients.register'] }, 'patients.search.too-wide', {
    title: 'search returns 50 patients, and refuses if more match',
    rule: 'search-by-document',
    run: async (subject) => {
      const person = await findDayOfFew(subject);
      const found = await findPatients(subject, person);
      for (let count = found.length; count < 50; count++) await registerPatient(subject, person);
      expectCount(await findPatients(subject, person), 50, 'patients of that birth date');
      await registerPatient(subject, person);
      await expectProblem(subject, { route: 'GET /patients/search', query: person }, 422, 'search_too_wide');
    },
  }),
];
