import { getPortName, operations, perform, problems, type RawRequest, Rejection } from '../../src/api/index.ts';
import type { Fixtures } from '../../src/contract/fixtures.ts';
import type { FhirPorts } from '../support/fhir-adapter.ts';
import { callNow } from '../support/fhir-calls.ts';

/** What one call of a day was answered. */
export interface Step {
  readonly name: string;
  readonly status: number;
  readonly body: unknown;
  /** What was left out, as `Type/element`. */
  readonly omitted: readonly string[];
}

/** Of a hospital. */
export interface DayOptions {
  readonly fixtures: Fixtures;
  /** A document that nobody has. */
  readonly document: string;
  /** The same for all days that are compared. */
  readonly now: string;
}

const DAYS_AHEAD = 8;
const MS_PER_DAY = 86_400_000;

/**
 * Does a day's work of a platform in 40 calls, and leaves the institution as it was but for one new patient, who has
 * canceled appointments, a coverage, a request and a ticket. What is new each day has a name in the place of its value.
 */
export async function workOneDay(ports: FhirPorts, { fixtures, document, now }: DayOptions): Promise<Step[]> {
  const { patients, coverages, plans, carriers, services, practitioners, ticketType } = fixtures;
  const steps: Step[] = [];
  const names = new Map([[document, 'document']]);

  async function ask(name: string, request: Partial<RawRequest> = {}): Promise<unknown> {
    const operation = operations.find((each) => each.name === name);
    if (!operation) throw new Error(`no operation ${name}`);
    const omitted: string[] = [];
    const omit = ({ resourceType, element }: { resourceType: string; element: string }) =>
      void omitted.push(`${resourceType}/${element}`);
    const call = callNow({ now, omit });
    const raw = { params: {}, query: {}, body: undefined, ...request };
    const { status, body } = await perform(operation, ports[getPortName(operation)], raw, call).catch(toStep);
    steps.push({ name, status, body, omitted: omitted.toSorted() });
    return body;
  }

  /** Finds a value that this day made, which is called so when days are compared. */
  function pick(body: unknown, name: string, ...path: readonly (string | number)[]): string {
    const value = path.reduce<unknown>((owner, key) => (isObject(owner) ? owner[key] : undefined), body);
    if (typeof value !== 'string') return 'nothing';
    if (name !== '') names.set(value, name);
    return value;
  }

  const born = { birth_date: '1990/05/06', gender: 'Male' };
  const person = { identifier_type: 'DNI', identifier: document, name: 'Dante', last_name: 'Prueba', ...born };
  const id = pick(await ask('registerPatient', { body: person }), 'patient', 'id');
  const params = { id };
  const complete = { params: { id: patients.complete } };
  await ask('registerPatient', { body: person });
  await ask('searchPatients', { query: { identifier_type: 'DNI', identifier: document } });
  await ask('updatePatient', { params, body: { phone: '+54 9 11 5555-0142', email: 'dante@example.org' } });
  await ask('getPatient', { params });
  await ask('getPatient', complete);
  await ask('listCarriers');
  await ask('listPlans', { params: { id: carriers.withPlans.id } });
  const insured = { credentialNumber: document, beneficiaryId: id, insurancePlanId: plans.accepted };
  const patientCoverageId = pick(await ask('createCoverage', { body: insured }), 'coverage', 'model', 'id');
  await ask('editCoverage', { params: { coverageId: patientCoverageId }, body: { insurancePlanId: plans.another } });
  await ask('listHealthInsurances', { params });
  await ask('listHealthInsurances', complete);
  const insurance = { patient_id: id, health_insurance_id: patientCoverageId };
  const payer = { patientId: id, patientCoverageId };
  await ask('searchHealthCareServices', { query: insurance });
  await ask('getHealthCareService', { query: { ...payer, limit: '100' } });
  await ask('getFrequentHcs', {
    query: { patientId: patients.complete, patientCoverageId: coverages.active },
  });
  await ask('getInsuranceCarriers');
  await ask('getInsuranceCarriersByOwner', { query: { ownerId: fixtures.owner } });
  await ask('listPractitioners');
  await ask('listLocations');
  await ask('getMedicalDirectory');
  const day = new Date(Date.parse(now) + DAYS_AHEAD * MS_PER_DAY).toISOString().slice(0, 10);
  const slots = { query: { limit: '5' }, body: { hcsId: services.bookable, ...payer, dateConfig: { dateFrom: day } } };
  await ask('getAvailableSlots', slots);
  const offers = await ask('searchAvailableAppointments', {
    query: { ...insurance, health_care_service_id: services.bookable, practitioner_id: practitioners.bookable },
  });
  const date = pick(offers, '', 'appointments', 20, 'date');
  const booking = {
    health_care_service_id: services.bookable,
    practitioner_id: practitioners.bookable,
    health_insurance_id: patientCoverageId,
    date,
  };
  await ask('bookAppointment', { params, body: booking });
  await ask('bookAppointment', { params, body: booking });
  const { appointments: [own] = [] } = (await ask('listAppointments', { params })) as { appointments?: unknown[] };
  await ask('getAppointment', { query: { patientId: id, limit: '5', appointmentStatus: 'active' } });
  await ask('getAppointment', { query: { patientId: patients.complete, page: '1', limit: '2' } });
  const appointment_id = pick(own, 'appointment', 'id');
  await ask('cancelAppointment', { params: { id, appointment_id }, body: { status: 'canceled' } });
  await ask('listAppointments', { params });
  await ask('listAppointments', complete);
  await ask('getMainPractitioner', complete);
  const body = { reason_id: fixtures.changeReason, practitioner_id: practitioners.bookable };
  pick(await ask('requestPractitionerChange', { params, body }), 'request', 'id');
  await ask('getPractitionerChange', { params });
  await ask('listTicketTypes');
  const fields = [{ id: ticketType.checked.id, value: ticketType.checked.fits }];
  const opened = { params: { id, ticket_type_id: ticketType.id }, body: { observations: 'Renovación', fields } };
  await ask('openTicket', opened);
  const { id: typed, file } = fixtures.typedTicketType;
  const pdf = Buffer.from('%PDF-1.7 a referral').toString('base64');
  const withFile = { observations: 'Orden', fields: [{ id: file, value: pdf }] };
  await ask('openTicket', { params: { id, ticket_type_id: typed }, body: withFile });
  const tickets = await ask('listTickets', { params });
  for (const at of [0, 1]) pick(tickets, `ticket ${at}`, at, 'uid');
  await ask('listTickets', complete);
  const relative = { related_patient_id: patients.complete, relationship_code: 2, relationship_description: 'madre' };
  await ask('addFamilyMember', { params, body: { ...relative, active: true } });
  const { family_group: [member] = [] } = (await ask('listFamilyGroup', { params })) as { family_group?: unknown[] };
  pick(member, 'relative', 'id');
  // Ids that are numbers are also found where they mean something else.
  const callByName = (key: string, value: unknown) =>
    (/(?:id|identifier|credential_?number)$/i.test(key) && names.get(String(value))) || value;
  return JSON.parse(JSON.stringify(steps, callByName)) as Step[];
}

function toStep(error: unknown): { status: number; body: unknown } {
  if (!(error instanceof Rejection)) throw error;
  return { status: problems[error.code].status, body: { code: error.code } };
}

const isObject = (value: unknown): value is Readonly<Record<string | number, unknown>> =>
  typeof value === 'object' && value !== null;

/**
 * In what two days differ, by the names of the calls.
 * @param mayDiffer names of calls or of fields that are not compared.
 */
export function compareDays(one: readonly Step[], other: readonly Step[], mayDiffer: readonly string[] = []): string[] {
  const show = (step: Step | undefined) =>
    JSON.stringify(step, (key, value: unknown) => (mayDiffer.includes(key) ? undefined : value));
  return one.flatMap((step, index) => {
    const same = other[index];
    if (mayDiffer.includes(step.name) || show(step) === show(same)) return [];
    const what = step.status === same?.status ? findDifference(show(step), show(same)) : '';
    return [`${index + 1} ${step.name}: ${step.status} and ${same?.status} ${what}`];
  });
}

function findDifference(one = '', other = ''): string {
  const at = [...one].findIndex((letter, index) => letter !== other[index]);
  return `…${one.slice(Math.max(0, at - 40), at + 60)}… and …${other.slice(Math.max(0, at - 40), at + 60)}…`;
}
