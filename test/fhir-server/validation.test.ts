import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Bundle, OperationOutcome, Patient, Resource, Task } from '@medplum/fhirtypes';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { call } from './caller.ts';

const { server, id } = await startHospital();

beforeEach(() => server.reset({ validation: 'on' }));

const send = async (path: string, method: string, resource: Resource) => {
  const { status, body } = await call<OperationOutcome>(`${server.url}/${path}`, method, resource);
  return [status, ...(body.issue ?? []).flatMap(({ expression = [] }) => expression)];
};

describe('request validation of the FHIR stand-in, as HAPI was seen to do it,', () => {
  const uuid = 'urn:uuid:5f0c0f4e-6d1b-4c39-9d43-0a4a6f3b0001';
  const buildTask = (): Task => ({
    resourceType: 'Task',
    status: 'requested',
    intent: 'order',
    for: { reference: `Patient/${id('Patient/ana')}` },
  });
  const sendEntries = (...entries: readonly [fullUrl: string | undefined, resource: Resource][]) =>
    send('', 'POST', {
      resourceType: 'Bundle',
      type: 'transaction',
      entry: entries.map(([fullUrl, resource]) => ({
        ...(fullUrl !== undefined && { fullUrl }),
        resource,
        request: { method: 'POST', url: resource.resourceType },
      })),
    } satisfies Bundle);

  test('takes entries with a fullUrl, and one without if it refers to nothing', async () => {
    expect(await sendEntries([uuid, buildTask()])).toEqual([200]);
    expect(await sendEntries([undefined, { resourceType: 'Patient' }])).toEqual([200]);
  });

  test.each([
    ['none', undefined],
    ['a relative one', 'Task/77'],
    ['a UUID that is none', 'urn:uuid:x'],
    ['that of something else', 'https://fhir.example.org/Patient/77'],
  ])('refuses an entry that refers to something and has %s for its fullUrl', async (_, fullUrl) => {
    expect((await sendEntries([fullUrl, buildTask()]))[0]).toBe(422);
    expect(await server.search('Task', `patient=Patient/${id('Patient/ana')}&status=requested`)).toEqual([]);
  });

  test('refuses two entries with one fullUrl', async () => {
    expect(await sendEntries([uuid, buildTask()], [uuid, buildTask()])).toEqual([422, 'Bundle']);
  });

  test.each([{ name: [] }, { name: [{}] }, { name: [{ text: '' }] }])(
    'refuses the empty element in %j',
    async (rest) => {
      expect((await send('Patient', 'POST', { resourceType: 'Patient', ...rest }))[0]).toBe(422);
    },
  );

  const extended = (url: string): Patient => ({ resourceType: 'Patient', extension: [{ url, valueString: 'x' }] });

  test.each(['http://hl7.org/fhir/5.0/StructureDefinition/extension-Coverage.insurancePlan', 'just-a-name'])(
    'refuses the extension %s',
    async (url) => {
      expect(await send('Patient', 'POST', extended(url))).toEqual([422, '.extension']);
      const ana = await server.read('Patient', id('Patient/ana'));
      expect((await send(`Patient/${ana.id}`, 'PUT', { ...ana, ...extended(url) }))[0]).toBe(422);
    },
  );

  test('takes extensions of anybody, unless it is strict', async () => {
    const own = extended('https://hospital.example.org/StructureDefinition/x');
    expect(await send('Patient', 'POST', own)).toEqual([201]);
    server.quirks.validation = 'strict';
    expect((await send('Patient', 'POST', own))[0]).toBe(422);
    expect(await send('Patient', 'POST', extended('http://hl7.org/fhir/StructureDefinition/x'))).toEqual([201]);
  });
});
