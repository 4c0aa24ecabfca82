import type { RawRequest } from '../../api/index.ts';

/** Ids that earlier answers gave, by which later operations can be asked. */
export interface KnownIds {
  readonly carriers: readonly string[];
  readonly services: readonly string[];
  /** One of the patients that the operator named. */
  readonly patient?: string;
  readonly coverages: readonly string[];
}

/** How many carriers and services are asked for what they have. */
const SAMPLE = 5;

type Ask = (ids: KnownIds) => Partial<RawRequest>[];

const once: Ask = () => [{}];
const forPatient = (toRequest: (patient: string) => Partial<RawRequest>): Ask => {
  return ({ patient }) => (patient === undefined ? [] : [toRequest(patient)]);
};
const byPath = forPatient((id) => ({ params: { id } }));
const page = { page: '0', limit: '100' };
const byCoverage: Ask = ({ patient, coverages }) =>
  patient === undefined
    ? []
    : coverages.slice(0, 1).map((id) => ({ query: { patientId: patient, patientCoverageId: id, ...page } }));

/** What each operation that only reads can be asked, in the order in which they learn from each other. */
export const asks: Readonly<Record<string, Ask>> = {
  listPractitioners: once,
  listLocations: once,
  getMedicalDirectory: once,
  searchHealthCareServices: once,
  searchAvailableAppointments: ({ services }) =>
    services.slice(0, SAMPLE).map((id) => ({ query: { health_care_service_id: id } })),
  getAvailableSlots: ({ services }) => services.slice(0, SAMPLE).map((id) => ({ query: page, body: { hcsId: id } })),
  listCarriers: once,
  listPlans: ({ carriers }) => carriers.slice(0, SAMPLE).map((id) => ({ params: { id } })),
  getInsuranceCarriers: () => [{ query: page }],
  getInsuranceCarriersByOwner: () => [{ query: page }],
  listTicketTypes: once,
  listPractitionerChangeReasons: once,
  getPatient: byPath,
  listHealthInsurances: byPath,
  listAppointments: byPath,
  getAppointment: forPatient((patientId) => ({ query: { patientId, ...page } })),
  listTickets: byPath,
  listFamilyGroup: byPath,
  getMainPractitioner: byPath,
  getPractitionerChange: byPath,
  getHealthCareService: byCoverage,
  getFrequentHcs: byCoverage,
  getFrequentHcsByType: byCoverage,
};

/** Lists without which no booking is possible: every institution has something of each. */
export const neverEmpty: ReadonlySet<string> = new Set([
  'listPractitioners',
  'listLocations',
  'searchHealthCareServices',
  'listCarriers',
]);

/** Answers that say that a patient has none of it. */
export const emptyAnswers: ReadonlySet<string> = new Set(['no_main_practitioner', 'no_change_request']);
