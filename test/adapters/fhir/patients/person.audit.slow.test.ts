import { afterAll, describe, expect, test } from '@jest/globals';
import type { Patient } from '@medplum/fhirtypes';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { openAuditedState, readRecords } from '../../../support/audited-gateway.ts';
import { startFhirGateway } from '../../../support/fhir-gateway.ts';

const { server, id } = await startHospital();
const state = await openAuditedState();
const gateway = await startFhirGateway(server, { PUENTE_ADAPTER_SETTINGS_CACHE_SECONDS: '0' }, { state });
afterAll(() => state.close());

describe('the audit trail of a FHIR server', () => {
  test('has each read by the id of a patient who was merged in the trail of the one who is left, and relatives', async () => {
    const old = id('Patient/ana');
    const { id: _, identifier: __, ...same } = await server.read('Patient', old);
    const { id: survivor } = await server.create<Patient>(same);
    const replaced: Patient['link'] = [{ type: 'replaced-by', other: { reference: `Patient/${survivor}` } }];
    await server.update({ ...same, id: old, active: false, link: replaced });
    const paths = ['', '/appointments', '/health_insurances', '/family_group', '/ticket/', '/practitioner'];
    for (const path of paths) expect((await gateway.ask('GET', `/patients/${old}${path}`)).status).toBe(200);
    expect((await gateway.ask('GET', `/v1/appointments?patientId=${old}`)).status).toBe(200);
    await gateway.stop();
    const records = (await readRecords(state.audit!)).filter(
      ({ requestId, client }) => requestId && client === 'trial',
    );
    const operations = (patient: string) =>
      records.filter((each) => each.patient === patient).map((each) => each.operation);
    expect(operations(survivor)).toEqual(operations(old));
    expect(new Set(operations(old)).size).toBe(7);
    expect(operations(id('Patient/bruno'))).toEqual(['listFamilyGroup']);
  });
});
