import assert from 'node:assert/strict';
import { type Case, defineCase } from '../case.ts';
import type { RecordKind } from '../fixtures.ts';
import { recordKinds } from '../queries.ts';

const titles: Readonly<Record<RecordKind, string>> = {
  patients: 'a patient has the names, the birth date, the numbers and the contact of the record that was confirmed',
  practitioners: 'a practitioner has the name and the specialty of the record that was confirmed',
  services: 'a service has the name and the limits of the record that was confirmed',
  appointments:
    'an appointment has the local time, the place, the modality and the payment of the record that was confirmed',
  places: 'a place of the medical directory has the name and the position of the record that was confirmed',
  coverages: 'a coverage has the plan, the credential and the state of the record that was confirmed',
};

/** What the first value says of what the second says. */
function narrow(actual: unknown, expected: unknown): unknown {
  if (typeof actual === 'string' && typeof expected === 'string' && /^T\d\d:/.test(expected)) {
    return actual.slice(-expected.length);
  }
  if (typeof expected !== 'object' || expected === null || typeof actual !== 'object' || actual === null) return actual;
  const names = Object.keys(expected);
  if (names.length === 0 || Array.isArray(expected)) return actual;
  return Object.fromEntries(
    names.map((name) => [name, narrow(Reflect.get(actual, name), Reflect.get(expected, name))]),
  );
}

/** What the system holds, which no answer of the adapter can tell: somebody looked it up. */
export const recordCases: readonly Case[] = (Object.keys(recordKinds) as RecordKind[]).map((kind) => {
  const { needs, list } = recordKinds[kind];
  return defineCase({ level: 'safe', needs, section: '2' }, `records.${kind}`, {
    fixtures: [`records.${kind}`],
    title: titles[kind],
    run: async (subject) => {
      for (const { patient_id, ...record } of subject.fixtures.records[kind]) {
        const found = (await list(subject, { id: record.id, patient_id })).find(
          (each) => Reflect.get(each, 'id') === record.id,
        );
        assert.ok(found, 'a record that was confirmed is not there');
        assert.deepEqual(narrow(found, record), record);
      }
    },
  });
});
