import type { AppointmentStatus, Gender } from '../../../src/ports/index.ts';
import type { Settings } from '../settings.ts';
import type { OwnExtension, UsedExtensionUrl } from './datatypes.ts';

/** Code systems and extensions of other organizations. Code systems have their R4 URL. */
export const hl7 = {
  actCode: 'http://terminology.hl7.org/CodeSystem/v3-ActCode',
  confidentiality: 'http://terminology.hl7.org/CodeSystem/v3-Confidentiality',
  roleCode: 'http://terminology.hl7.org/CodeSystem/v3-RoleCode',
  participationType: 'http://terminology.hl7.org/CodeSystem/v3-ParticipationType',
  appointmentType: 'http://terminology.hl7.org/CodeSystem/v2-0276',
  identifierType: 'http://terminology.hl7.org/CodeSystem/v2-0203',
  organizationType: 'http://terminology.hl7.org/CodeSystem/organization-type',
  coverageClass: 'http://terminology.hl7.org/CodeSystem/coverage-class',
  cancellationReason: 'http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason',
  physicalType: 'http://terminology.hl7.org/CodeSystem/location-physical-type',
  /** The extension of version 0.1.0 for the plan of a coverage. A validating HAPI rejects it. It is still read. */
  oldCoveragePlan: 'http://hl7.org/fhir/5.0/StructureDefinition/extension-Coverage.insurancePlan',
  regex: 'http://hl7.org/fhir/StructureDefinition/regex',
  entryFormat: 'http://hl7.org/fhir/StructureDefinition/entryFormat',
  fathersFamily: 'http://hl7.org/fhir/StructureDefinition/humanname-fathers-family',
  mothersFamily: 'http://hl7.org/fhir/StructureDefinition/humanname-mothers-family',
  addressPart: (part: string): UsedExtensionUrl => `http://hl7.org/fhir/StructureDefinition/iso21090-ADXP-${part}`,
  serviceReference: 'https://medplum.com/fhir/service-type-reference',
} as const;

/** The canonical URLs of this gateway in the institution's namespace, and its identifier systems. */
export class Codes {
  readonly dni: readonly string[];
  readonly passport: readonly string[];
  readonly other: readonly string[];
  readonly mrn: readonly string[];
  /**
   * True if the institution has configured the systems of its own records. Identifiers of other systems must then not
   * be changed.
   */
  readonly namesOwnRecords: boolean;
  readonly #namespace: string;

  constructor({ namespace, systems }: Pick<Settings, 'namespace' | 'systems'>) {
    this.#namespace = namespace;
    this.dni = systems.dni;
    this.passport = systems.passport;
    this.other = systems.other.length > 0 ? systems.other : [this.sid('other')];
    this.namesOwnRecords = systems.mrn.length > 0;
    this.mrn = this.namesOwnRecords ? systems.mrn : [this.sid('mrn')];
  }

  /** An identifier system: `booking`, `related-patient`, `integration`, `credential/<carrier>`... */
  sid(name: string): string {
    return `${this.#namespace}/sid/${name}`;
  }

  /** A code system: `hcs`, `hcs-kind`, `plan`, `relationship`, `task-kind`... */
  system(name: string): string {
    return `${this.#namespace}/CodeSystem/${name}`;
  }

  /** An extension: `appointment-payment`, `hcs-eligibility`... */
  extension(name: OwnExtension): UsedExtensionUrl {
    return `${this.#namespace}/StructureDefinition/${name}`;
  }
}

export const toGender = (code: string | undefined): Gender =>
  code === 'male' ? 'Male' : code === 'female' ? 'Female' : 'Other';

/** True if the institution has the person's gender. An unknown one also becomes `Other`. */
export const isGenderKnown = (code: string | undefined): boolean => code !== undefined && code !== 'unknown';

export const genderCode = { Male: 'male', Female: 'female', Other: 'other' } as const satisfies Record<Gender, string>;

/** The FHIR statuses of each appointment status. Other FHIR statuses are proposals or errors. */
export const appointmentStatuses: Readonly<Record<AppointmentStatus, readonly string[]>> = {
  active: ['booked', 'pending', 'arrived', 'checked-in', 'fulfilled'],
  canceled: ['cancelled', 'noshow'],
};

const taskStatuses: Readonly<Record<string, string>> = {
  completed: 'completed',
  rejected: 'rejected',
  failed: 'rejected',
  cancelled: 'canceled',
  'entered-in-error': 'canceled',
  'in-progress': 'in_progress',
  'on-hold': 'in_progress',
};

/** The status of a ticket: `pending`, `in_progress`, `completed`, `rejected` or `canceled`. */
export const toTicketStatus = (status: string): string => taskStatuses[status] ?? 'pending';

/** The FHIR statuses of an open change request. */
export const openChangeStatuses = 'draft,requested,received,accepted,ready,in-progress,on-hold';

/** As for tickets, but a new change request is already `in_progress`. */
export function toChangeStatus(status: string): string {
  const found = toTicketStatus(status);
  return found === 'pending' ? 'in_progress' : found;
}
