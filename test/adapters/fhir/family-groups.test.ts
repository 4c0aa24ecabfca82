import { expect, test } from '@jest/globals';
import { ownCodes, terms } from '../../hospital-in-fhir/terms.ts';
import { callNow } from '../../support/fhir-calls.ts';
import { setUpHospital } from '../../support/fhir-hospital.ts';

const { server, id, ports } = await setUpHospital();

const ours = (code: string) => ({ system: ownCodes('relationship'), code });
const child = { system: terms.roleCode, code: 'CHILD' };

test.each([
  { has: 'a number', coding: [ours('3')], code: 3 },
  { has: 'no number, but a role', coding: [ours(''), child], code: 4 },
  { has: 'a blank, and a role', coding: [ours(' '), child], code: 4 },
  { has: 'another notation, and a role', coding: [ours('0x3'), child], code: 4 },
  { has: 'a number below zero', coding: [ours('-3')], code: -3 },
  { has: 'the largest number', coding: [ours('9007199254740991')], code: 9007199254740991 },
  { has: 'a number that JSON cannot carry exactly, and a role', coding: [ours('9007199254740993'), child], code: 4 },
  { has: 'nothing before a number', coding: [ours(''), ours('3')], code: 3 },
  { has: 'neither a number nor a role', coding: [ours('')], code: 99 },
])('the code of a relationship for which the server has $has is $code', async ({ coding, code }) => {
  const relative = await server.read('RelatedPerson', id('RelatedPerson/ana-bruno'));
  server.load({ ...relative, relationship: [{ coding }] });
  const members = await ports['family-groups'].list(id('Patient/ana'), callNow());
  expect(members.find(({ id }) => id === relative.id)).toMatchObject({ relationshipCode: code });
});
