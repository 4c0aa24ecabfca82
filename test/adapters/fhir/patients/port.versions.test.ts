import { beforeEach, describe, expect, test } from '@jest/globals';
import { callNow } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

const { server, ports } = await setUpHospital({ systems: {} });
const { patients } = ports;
const stored = { resourceType: 'Patient', id: 'joao', name: [{ family: 'Silva' }], birthDate: '1985-11-30' } as const;
beforeEach(() => server.load(stored));

const read = () => patients.get('joao', callNow());
const update = (phone: string, ifMatch: readonly string[]) =>
  patients.update('joao', { phone }, { ...callNow(), ifMatch });

describe('the version of a FHIR patient', () => {
  test('is that of the resource, and another one after a change', async () => {
    const { version } = await read();
    expect(version).toBe((await server.read('Patient', 'joao')).meta?.versionId);
    await update('1', [version!]);
    expect((await read()).version).not.toBe(version);
  });

  test('that a call names and the resource no longer has refuses the update', async () => {
    const { version } = await read();
    await update('1', ['other', version!]);
    const failure = { kind: 'conflict', code: 'precondition_failed' };
    await expect(update('2', [version!])).rejects.toMatchObject(failure);
    expect((await read()).phone).toBe('1');
  });

  test('does not refuse what an earlier try of the same update has done', async () => {
    const { version } = await read();
    await update('1', [version!]);
    await update('1', [version!]);
    expect((await read()).phone).toBe('1');
  });
});
