import type { LoggedRequest } from '../fhir-server/request-log.ts';
import type { StartedHospital } from '../hospital-in-fhir/start.ts';
import { ownIds } from '../hospital-in-fhir/terms.ts';
import type { RunningGateway } from './gateway.ts';
import type { RawAnswer } from './raw-request.ts';

/** A write of a caller, none of which meets another when all are sent at once. */
export interface SentWrite {
  readonly name: string;
  readonly send: (headers?: Readonly<Record<string, string>>) => Promise<RawAnswer>;
  /** The request to the server that carries it out. */
  readonly isSent: (request: LoggedRequest) => boolean;
  /** Whether it was done, and whole. @throws Error when some, but not all, of it is there. */
  readonly isDone: () => Promise<boolean>;
}

export const isTransaction = ({ method, path }: LoggedRequest): boolean => method === 'POST' && path === '';

const isCreateOf =
  (type: string) =>
  ({ method, path }: LoggedRequest): boolean =>
    method === 'POST' && path === type;

/** A change of this resource, or its removal. */
export const isChangeOf =
  (resource: string) =>
  ({ method, path }: LoggedRequest): boolean =>
    method !== 'GET' && path === resource;

function isWhole(...parts: readonly boolean[]): boolean {
  if (new Set(parts).size > 1) throw new Error('a part of a write is there');
  return parts.every(Boolean);
}

/** The content of the file that the ticket carries. */
const file = Buffer.from('%PDF-1.7 an order').toString('base64');

/** A booking of the first offer, and one write of every other kind. */
export async function prepareWrites({ server, id }: StartedHospital, { ask }: RunningGateway): Promise<SentWrite[]> {
  const [ana, bruno] = [id('Patient/ana'), id('Patient/bruno')];
  const [turno, osde, swiss] = [id('Appointment/turno-ana-1'), id('Coverage/ana-osde'), id('Coverage/ana-swiss')];
  const planId = id('InsurancePlan/swiss-smg20');
  const relative = id('RelatedPerson/ana-bruno');
  const path = `/available-appointments/search?health_care_service_id=${id('HealthcareService/consulta-clinica')}`;
  const lapsed = await server.read('Coverage', swiss);
  const system = ownIds(`credential/${id('Organization/swiss')}`);
  await server.update({ ...lapsed, identifier: lapsed.identifier?.map((each) => ({ ...each, system })) ?? [] });
  server.keep();
  const [offer] = (JSON.parse((await ask('GET', path)).text) as { appointments: Record<string, unknown>[] })
    .appointments;
  const { date, health_care_service_id, practitioner_id } = offer ?? {};

  return [
    {
      name: 'booking',
      send: (headers) =>
        ask('POST', `/patients/${bruno}/appointments`, { date, health_care_service_id, practitioner_id }, headers),
      isSent: isTransaction,
      isDone: async () => {
        const [appointment] = await server.search('Appointment', `status=booked&patient=Patient/${bruno}`);
        const slots = (await server.search('Slot', 'status=busy')).map((slot) => `Slot/${slot.id}`);
        return appointment !== undefined && slots.includes(appointment.slot?.[0]?.reference ?? '');
      },
    },
    {
      name: 'cancellation',
      send: (headers) => ask('PUT', `/patients/${ana}/appointments/${turno}`, { status: 'canceled' }, headers),
      isSent: isTransaction,
      isDone: async () => {
        const { status, slot = [] } = await server.read('Appointment', turno);
        const taken = await server.read('Slot', slot[0]?.reference?.split('/')[1] ?? '');
        return isWhole(status === 'cancelled', taken.status === 'free');
      },
    },
    {
      name: 'registration',
      send: (headers) =>
        ask(
          'POST',
          '/patients/',
          {
            birth_date: '1994/02/03',
            identifier_type: 'DNI',
            identifier: 38111222,
            gender: 'Female',
          },
          headers,
        ),
      isSent: isCreateOf('Patient'),
      isDone: async () => (await server.search('Patient', 'identifier=38111222')).length === 1,
    },
    {
      name: 'change of a patient',
      send: (headers) => ask('PUT', `/patients/${id('Patient/elena')}`, { phone: '+54 9 11 5555-0179' }, headers),
      isSent: isChangeOf(`Patient/${id('Patient/elena')}`),
      isDone: async () =>
        JSON.stringify((await server.read('Patient', id('Patient/elena'))).telecom).includes('5555-0179'),
    },
    {
      name: 'coverage',
      send: (headers) =>
        ask(
          'POST',
          '/v1/coverages',
          {
            credentialNumber: '60-998877-1',
            beneficiaryId: bruno,
            insurancePlanId: planId,
          },
          headers,
        ),
      isSent: isCreateOf('Coverage'),
      isDone: async () => (await server.search('Coverage', 'identifier=60-998877-1')).length === 1,
    },
    {
      name: 'coverage that had ended',
      send: (headers) =>
        ask(
          'POST',
          '/v1/coverages',
          {
            credentialNumber: '80035520710101',
            beneficiaryId: ana,
            insurancePlanId: planId,
          },
          headers,
        ),
      isSent: isChangeOf(`Coverage/${swiss}`),
      isDone: async () => (await server.read('Coverage', swiss)).status === 'active',
    },
    {
      name: 'change of a coverage',
      send: (headers) => ask('PUT', `/v1/coverages/${osde}`, { credentialNumber: '60-112233-4' }, headers),
      isSent: isChangeOf(`Coverage/${osde}`),
      isDone: async () => (await server.search('Coverage', 'identifier=60-112233-4')).length === 1,
    },
    {
      name: 'relative',
      send: (headers) =>
        ask(
          'POST',
          `/patients/${bruno}/family_group`,
          {
            related_patient_id: id('Patient/elena'),
            relationship_code: 5,
          },
          headers,
        ),
      isSent: isCreateOf('RelatedPerson'),
      isDone: async () => {
        const identifier = `${ownIds('related-patient')}|${id('Patient/elena')}`;
        return (await server.search('RelatedPerson', `patient=Patient/${bruno}&identifier=${identifier}`)).length === 1;
      },
    },
    {
      name: 'removal of a relative',
      send: (headers) => ask('DELETE', `/patients/${ana}/family_group/${relative}`, undefined, headers),
      isSent: isChangeOf(`RelatedPerson/${relative}`),
      isDone: async () => (await server.search('RelatedPerson', `_id=${relative}`)).length === 0,
    },
    {
      name: 'request for another practitioner',
      send: (headers) =>
        ask('POST', `/patients/${bruno}/practitioner/change_request`, { reason_id: 'mudanza' }, headers),
      isSent: isCreateOf('Task'),
      isDone: async () =>
        (await server.search('Task', `patient=Patient/${bruno}&code=main-practitioner-change`)).length === 1,
    },
    {
      name: 'ticket',
      send: (headers) =>
        ask(
          'POST',
          `/patients/${bruno}/ticket_type/${id('Questionnaire/autorizacion')}/ticket`,
          {
            observations: 'Urge',
            fields: [{ id: 'orden', value: file }],
          },
          headers,
        ),
      isSent: isTransaction,
      isDone: async () => {
        const responses = await server.search('QuestionnaireResponse', `subject=Patient/${bruno}`);
        const tasks = await server.search('Task', `patient=Patient/${bruno}&code=ticket`);
        const [, binary = ''] = JSON.stringify(responses).match(/"Binary\/([^"/]+)"/) ?? [];
        if (!isWhole(tasks.length > 0, responses.length > 0)) return false;
        return isWhole(true, (await server.read('Binary', binary)).data === file);
      },
    },
  ];
}
