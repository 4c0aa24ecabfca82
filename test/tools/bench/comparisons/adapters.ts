import { join } from 'node:path';
import { makeClinic } from '../clinic.ts';
import type { GatewayConfigs } from '../gateway-config.ts';
import { buildHospital } from '../hospital.ts';
import { type ServerProcess, startGateway, startServer } from '../processes.ts';
import { type Comparison, formatRequest, repeatRead, type Variant } from '../variant.ts';
import { fetchBody } from './memory.ts';

/** What each adapter costs, and the search for one of 12,000 slots of a FHIR server. */
export async function compareAdapters(configs: GatewayConfigs): Promise<Comparison[]> {
  const token = configs.tokens.opaque;
  const read = (name: string, server: ServerProcess, path: string): Variant => ({
    name,
    own: true,
    server,
    requests: repeatRead(path, token),
  });
  const memory = await startGateway(configs.writeMemory(buildHospital()));
  const clinic = await startClinic(configs);
  const backend = await startServer('backend.ts', '0');
  const fhir = await startGateway(configs.writeFhir(backend.port));
  // The server of the tests is slow with so many, and is not what is measured.
  const patient = { PUENTE_HTTP_READ_DEADLINE: '120000', PUENTE_ADAPTER_SETTINGS_TIMEOUT: '60000' };
  const hospital = await startGateway(configs.writeFhir((await startServer('hospital.ts', '')).port), patient);
  return [
    {
      id: 'adapters',
      title: 'A read by each adapter',
      load: { connections: 16 },
      variants: [
        read('`memory`: a patient', memory, '/patients/patient-7'),
        read('`mapping`: a patient, of SQLite', clinic, '/patients/1001'),
        read('`fhir`: a patient', fhir, '/patients/ana'),
        read('`local`: tickets of a patient, none yet', clinic, '/patients/1001/ticket/'),
      ],
    },
    {
      id: 'fhir-slots',
      title: 'Search of 12,000 free slots over FHIR',
      load: { connections: 2 },
      variants: [await searchSlots('a page of ten', hospital, token)],
    },
  ];
}

/** The example of a clinic by a mapping file, with what it does not have beside it. */
function startClinic(configs: GatewayConfigs): Promise<ServerProcess> {
  const file = join(makeClinic(configs.folder), 'mapping-sql/clinica.yaml');
  const local = {
    file: join(configs.folder, 'local.db'),
    encryptionKey: `file:${configs.write('local.key', '0'.repeat(64))}`,
  };
  const type = { id: 'receta', title: 'Receta', fields: [{ id: 'medicamento', type: 'string' }] };
  const more = {
    adapters: { local: { settings: { ...local, ticketTypes: [type] } } },
    ports: { tickets: { adapter: 'local' } },
  };
  return startGateway(configs.writeAdapter('mapped', { name: 'mapping', settings: { file } }, more));
}

async function searchSlots(name: string, server: ServerProcess, token: string): Promise<Variant> {
  const body = (await fetchBody(server, '/health-care-services/search', token)) as {
    health_care_services: { id: string; integration_id: string }[];
  };
  const service = body.health_care_services.find((each) => each.integration_id === 'CM_1010');
  const bytes = Buffer.from(formatRequest(['POST', '/v1/available-slots?limit=10'], token, { hcsId: service?.id }));
  return { name, own: true, server, requests: { next: () => bytes, status: 200 } };
}
