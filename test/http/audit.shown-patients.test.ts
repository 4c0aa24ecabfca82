import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import type { Call, Patient, Patients } from '../../src/ports/index.ts';
import { type AuditedGateway, startAuditedGateway } from '../support/audited-gateway.ts';
import { catalogue, createSqliteSettings, localPorts } from '../support/local-adapter.ts';
import { makeFolder } from '../support/sqlite-state.ts';

const folder = makeFolder();

let gateway: AuditedGateway;
afterEach(() => gateway.stop());

/** The patients in whose trail a request stands. */
async function listPatients(method: string, path: string, body?: unknown): Promise<readonly (string | undefined)[]> {
  const known = (await gateway.listRecords()).length;
  await gateway.ask(method, path, body);
  const records = (await gateway.listRecords()).slice(known);
  return records.filter(({ phase }) => phase === 'ended').map(({ patient }) => patient);
}

const reads = (id: string) => [
  `/patients/${id}`,
  `/patients/${id}/appointments`,
  `/patients/${id}/health_insurances`,
  `/patients/${id}/family_group`,
  `/patients/${id}/ticket/`,
  `/patients/${id}/practitioner`,
  `/patients/${id}/practitioner/change_request`,
  `/v1/appointments?patientId=${id}`,
  `/available-appointments/search?patient_id=${id}&health_care_service_id=consulta-clinica`,
];

describe('the trail of a patient', () => {
  test.each(reads('merged'))('has who read it by the id of one who was merged into that patient: %s', async (path) => {
    gateway = await startAuditedGateway();
    const patients = await listPatients('GET', path);
    expect(new Set(patients)).toEqual(new Set(['merged', 'survivor']));
  });

  test('has who wrote to it by such an id, also where the write was refused', async () => {
    gateway = await startAuditedGateway();
    expect(new Set(await listPatients('PUT', '/patients/merged', { phone: '1' }))).toEqual(
      new Set(['merged', 'survivor']),
    );
    const refused = { related_patient_id: 'survivor', relationship_code: 1 };
    expect(new Set(await listPatients('POST', '/patients/merged/family_group', refused))).toEqual(
      new Set(['merged', 'survivor']),
    );
  });

  test('has who was shown the patient as a relative', async () => {
    gateway = await startAuditedGateway();
    expect(await listPatients('GET', '/patients/ana/family_group')).toEqual(['ana', 'bruno', 'camila']);
  });

  test('has who read it by such an id of what the adapter local keeps, and relatives who are kept there', async () => {
    const file = join(folder, 'local.yaml');
    const config = {
      adapters: { local: { settings: { ...catalogue, ...createSqliteSettings() } } },
      ports: localPorts,
    };
    writeFileSync(file, stringify(config));
    gateway = await startAuditedGateway({ file, environment: { PUENTE_ADAPTER_SETTINGS_SANDBOX: 'true' } });
    await gateway.ask('POST', '/patients/merged/family_group', { related_patient_id: 'bruno', relationship_code: 1 });
    expect(new Set(await listPatients('GET', '/patients/merged/family_group'))).toEqual(
      new Set(['merged', 'survivor', 'bruno']),
    );
    expect(new Set(await listPatients('GET', '/patients/merged/ticket/'))).toEqual(new Set(['merged', 'survivor']));
  });

  test('has who was shown it in the place of another, by any adapter', async () => {
    gateway = await startAuditedGateway({
      replacePort: (name, port) =>
        name === 'patients'
          ? {
              get: async (_id: string, call: Call): Promise<Patient> => (port as Patients).get('bruno', call),
            }
          : port,
    });
    expect(await listPatients('GET', '/patients/ana')).toEqual(['ana', 'bruno']);
  });
});
