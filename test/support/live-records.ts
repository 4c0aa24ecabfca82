import { randomInt, randomUUID } from 'node:crypto';
import type { CodeableConcept, Resource } from '@medplum/fhirtypes';
import { fhir } from '../../adapters/fhir/index.ts';
import { call, get } from '../fhir-server/caller.ts';
import { concept } from '../hospital-in-fhir/terms.ts';
import { createFhirAdapter, type FhirPorts } from './fhir-adapter.ts';
import type { LiveServer } from './live-gateway.ts';
import { logIn, writeResources } from './write-resources.ts';

type OfType<T extends Resource['resourceType']> = Extract<Resource, { resourceType: T }>;

/** A service whose only schedule has free times, three days from now. */
export interface LiveClinic {
  readonly serviceId: string;
  readonly practitionerId: string;
  readonly locationId: string;
  readonly scheduleId: string;
  readonly slotIds: readonly string[];
}

/** Records past the adapter on any server, whose ids it gives, and which may hold anything already. */
export interface LiveRecords {
  /** Where the codes and identifiers begin that nobody else has. */
  readonly namespace: string;
  /** A document that nobody has. */
  makeDocument(): string;
  write(resource: Resource): Promise<string>;
  read<T extends Resource['resourceType']>(type: T, id: string): Promise<OfType<T>>;
  change<T extends Resource['resourceType']>(type: T, id: string, changes: Partial<OfType<T>>): Promise<void>;
  /** A woman with the elements that every patient has, and these. */
  writePatient(rest?: Partial<OfType<'Patient'>>): Promise<string>;
  writeClinic(): Promise<LiveClinic>;
  /** An active plan of a carrier of its own. */
  writePlan(): Promise<{ readonly carrierId: string; readonly planId: string }>;
  /** An adapter that keeps nothing of the catalogue. */
  connect(changes?: Record<string, unknown>): Promise<FhirPorts>;
}

/** Born on a day of her own, so that nobody of another test is compared with her. */
export const person = { gender: 'female', birthDate: `19${randomInt(20, 99)}-11-03` } as const;
export const insurer: CodeableConcept = concept('http://terminology.hl7.org/CodeSystem/organization-type', 'ins');

export function openLiveRecords(server: LiveServer): LiveRecords {
  const namespace = `https://hia.example.org/records/${randomUUID()}`;
  const urlOf = (type: string, id: string) => `${server.baseUrl}/${type}/${id}`;
  const write = async (resource: Resource) => (await writeResources(server, [resource]))[0] ?? '';
  const read = async <T extends Resource['resourceType']>(type: T, id: string) =>
    (await get<OfType<T>>(urlOf(type, id), { 'cache-control': 'no-cache', ...(await logIn(server)) })).body;

  return {
    namespace,
    makeDocument: () => String(randomInt(40_000_000, 59_999_999)),
    write,
    read,
    change: async (type, id, changes) => {
      const changed = { ...(await read(type, id)), ...changes };
      const { status } = await call(urlOf(type, id), 'PUT', changed, await logIn(server));
      if (status !== 200) throw new Error(`the server answers ${status} to a change of a ${type}`);
    },
    writePatient: (rest = {}) => write({ resourceType: 'Patient', ...person, ...rest }),
    writeClinic: async () => {
      const type = [concept(`${namespace}/CodeSystem/hcs`, randomUUID())];
      const [locationId = '', practitionerId = '', serviceId = ''] = await writeResources(server, [
        { resourceType: 'Location', status: 'active', name: 'Consultorio' },
        { resourceType: 'Practitioner', active: true, name: [{ text: 'Dra. Guardia' }] },
        { resourceType: 'HealthcareService', active: true, name: 'Control', type },
      ]);
      const actor = [{ reference: `Practitioner/${practitionerId}` }, { reference: `Location/${locationId}` }];
      const scheduleId = await write({ resourceType: 'Schedule', active: true, serviceType: type, actor });
      const first = Math.ceil(Date.now() / 3_600_000) * 3_600_000 + 3 * 86_400_000;
      const at = (minutes: number) => new Date(first + minutes * 60_000).toISOString();
      const slotIds = await writeResources(
        server,
        [0, 20, 40].map((minutes) => ({
          resourceType: 'Slot',
          schedule: { reference: `Schedule/${scheduleId}` },
          status: 'free',
          start: at(minutes),
          end: at(minutes + 20),
        })),
      );
      return { serviceId, practitionerId, locationId, scheduleId, slotIds };
    },
    writePlan: async () => {
      const carrierId = await write({ resourceType: 'Organization', name: 'Mutual Ensayo', type: [insurer] });
      const ownedBy = { reference: `Organization/${carrierId}` };
      const planId = await write({ resourceType: 'InsurancePlan', status: 'active', name: 'Plan Ensayo', ownedBy });
      return { carrierId, planId };
    },
    connect: async (changes = {}) => {
      const { baseUrl, auth } = server;
      const limits = { entries: 20_000, pages: 200 };
      const access = { baseUrl, namespace, limits, timeout: 60_000, cacheSeconds: 0, ...(auth && { auth }) };
      return (await createFhirAdapter(fhir.settings.parse({ ...access, ...changes }))).ports;
    },
  };
}
