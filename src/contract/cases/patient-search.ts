import assert from 'node:assert/strict';
import { createDni, registerPatient } from '../arrange.ts';
import { type Case, defineCase } from '../case.ts';
import { toSlashDay } from '../days.ts';
import { expectProblem } from '../expect.ts';
import { findPatients, toIds } from '../queries.ts';

const base = { level: 'safe', needs: 'patients.search', section: '4.A' } as const;

export const patientSearchCases: readonly Case[] = [
  defineCase(base, 'patients.search.identifier', {
    title: 'search finds a patient by type and number of the identifier, and shows the number as a number',
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
      assert.ok(
        toIds(await findPatients(subject, { identifier: String(identity.identifier) })).includes(patients.complete),
      );
      assert.ok(toIds(await findPatients(subject, { identifier: passport })).includes(patients.passportHolder));
    },
  }),
  defineCase(base, 'patients.search.written', {
    title: 'search takes a DNI with dots and leading zeros for the same number',
    run: async (subject) => {
      const { identity, patients } = subject.fixtures;
      const dotted = String(identity.identifier).replaceAll(/\B(?=(\d{3})+$)/g, '.');
      assert.deepEqual(toIds(await findPatients(subject, { identifier_type: 'DNI', identifier: dotted })), [
        patients.complete,
      ]);
      const zeros = `0${identity.identifier}`;
      assert.deepEqual(toIds(await findPatients(subject, { identifier_type: 'DNI', identifier: zeros })), [
        patients.complete,
      ]);
    },
  }),
  defineCase(base, 'patients.search.passport', {
    title: 'search shows an identifier with letters as text',
    run: async (subject) => {
      const { patients, passport } = subject.fixtures;
      const [found] = await findPatients(subject, { identifier_type: 'Passport', identifier: passport });
      assert.equal(found?.id, patients.passportHolder);
      assert.equal(found.identifier, passport);
    },
  }),
  defineCase(base, 'patients.search.demographics', {
    title: 'search by birth date and gender finds those who have both',
    rule: 'search-by-document',
    run: async (subject) => {
      const { identity, patients } = subject.fixtures;
      const found = await findPatients(subject, {
        birth_date: toSlashDay(identity.birthDate),
        gender: identity.gender,
      });
      assert.ok(toIds(found).includes(patients.complete));
      for (const { birth_date, gender } of found) {
        assert.deepEqual({ birth_date, gender }, { birth_date: identity.birthDate, gender: identity.gender });
      }
    },
  }),
  defineCase(base, 'patients.search.dashes', {
    title: 'search takes a birth date with dashes for the same day',
    rule: 'search-by-document',
    run: async (subject) => {
      const { birthDate, gender } = subject.fixtures.identity;
      const dashed = toIds(await findPatients(subject, { birth_date: birthDate, gender }));
      assert.deepEqual(dashed, toIds(await findPatients(subject, { birth_date: toSlashDay(birthDate), gender })));
      assert.ok(dashed.includes(subject.fixtures.patients.complete));
    },
  }),
  defineCase(base, 'patients.search.all-criteria', {
    title: 'search finds nobody when one of several criteria does not hold',
    rule: 'search-by-document',
    run: async (subject) => {
      const { identity } = subject.fixtures;
      const number = { identifier_type: identity.identifierType, identifier: String(identity.identifier) };
      assert.equal((await findPatients(subject, number)).length, 1);
      assert.deepEqual(await findPatients(subject, { ...number, gender: 'Other' }), []);
      assert.deepEqual(await findPatients(subject, { ...number, birth_date: '1901/01/01' }), []);
      assert.deepEqual(await findPatients(subject, { ...number, identifier_type: 'Passport' }), []);
      const born = { birth_date: toSlashDay(identity.birthDate), gender: identity.gender };
      const ofDni = toIds(await findPatients(subject, { ...born, identifier_type: identity.identifierType }));
      assert.ok(ofDni.includes(subject.fixtures.patients.complete));
      const ofPassport = toIds(await findPatients(subject, { ...born, identifier_type: 'Passport' }));
      assert.ok(!ofPassport.includes(subject.fixtures.patients.complete));
    },
  }),
  defineCase(base, 'patients.search.nobody', {
    title: 'search answers an empty list when nobody matches',
    run: async (subject) =>
      assert.deepEqual(await findPatients(subject, { identifier_type: 'DNI', identifier: String(createDni()) }), []),
  }),
  defineCase(base, 'patients.search.criteria', {
    title: 'search needs an identifier, or a birth date with a gender',
    run: async (subject) => {
      for (const query of [{}, { gender: 'Female' }, { birth_date: '1985/11/30' }, { identifier_type: 'DNI' }]) {
        await expectProblem(subject, { route: 'GET /patients/search', query }, 422, 'validation');
      }
    },
  }),
  defineCase(base, 'patients.search.too-wide', {
    level: 'write',
    requires: ['patients.register'],
    title: 'search returns 50 patients, and refuses when more match',
    rule: 'search-by-document',
    run: async (subject) => {
      const person = { birth_date: `19${String(createDni()).slice(-2)}/02/03`, gender: 'Other' };
      const found = await findPatients(subject, person);
      for (let count = found.length; count < 50; count++) await registerPatient(subject, person);
      assert.equal((await findPatients(subject, person)).length, 50);
      await registerPatient(subject, person);
      await expectProblem(subject, { route: 'GET /patients/search', query: person }, 422, 'search_too_wide');
    },
  }),
];
