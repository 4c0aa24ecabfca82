import { describe, expect, test } from '@jest/globals';
import { hapi, medplum } from '../../../fhir-server/quirks.ts';
import { ownCodes, terms } from '../../../hospital-in-fhir/terms.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

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

test('a relative who is added again keeps the identifiers that others gave', async () => {
  const relative = await server.read('RelatedPerson', id('RelatedPerson/ana-bruno'));
  const dni = { system: terms.dni, value: '31465466' };
  server.load({ ...relative, active: false, identifier: [dni, ...(relative.identifier ?? [])] });
  const again = {
    relatedPatientId: id('Patient/bruno'),
    relationshipCode: 3,
    relationshipDescription: '',
    active: true,
  };
  await expect(ports['family-groups'].add(id('Patient/ana'), again, callNow())).resolves.toEqual({ id: relative.id });
  const after = await server.read('RelatedPerson', relative.id ?? '');
  expect(after.active).toBe(true);
  expect(after.identifier).toContainEqual(dni);
  expect(after.identifier).toHaveLength(3);
});

describe('a relative', () => {
  const bruno = () => id('Patient/bruno');
  const member = { relationshipCode: 5, relationshipDescription: 'hermana', active: true };
  const add = () =>
    ports['family-groups'].add(bruno(), { ...member, relatedPatientId: id('Patient/elena') }, callNow());
  const list = () => ports['family-groups'].list(bruno(), callNow());
  const remove = (memberId: string) => ports['family-groups'].remove(bruno(), memberId, callNow());

  test('to whom something refers is put out of use, and can be named again', async () => {
    const { id: memberId } = await add();
    const before = await list();
    await server.create({
      resourceType: 'DocumentReference',
      status: 'current',
      content: [{ attachment: { title: 'x' } }],
      author: [{ reference: `RelatedPerson/${memberId}` }],
    });
    await remove(memberId);
    expect((await list()).length).toBe(before.length - 1);
    expect((await server.read('RelatedPerson', memberId)).active).toBe(false);
    expect(await add()).toEqual({ id: memberId });
    expect(await list()).toEqual(before);
  });

  test.each([hapi, medplum])(
    'is named once by twenty at once, also after a removal that $software remembers',
    async (quirks) => {
      server.reset({ ...quirks, keepsSearchUrls: true });
      const before = await list();
      await remove((await add()).id);
      const results = await Promise.allSettled(Array.from({ length: 20 }, add));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await list()).toHaveLength(before.length + 1);
    },
  );
});
