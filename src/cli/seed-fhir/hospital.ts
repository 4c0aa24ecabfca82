/** A moment so many days before the seeding, at a local time `hh:mm`. */
export interface Ago {
  readonly daysAgo: number;
  readonly time: string;
}

export interface Place {
  readonly street?: string | undefined;
  readonly number?: string | undefined;
  readonly floor?: string | undefined;
  readonly apartment?: string | undefined;
  readonly city?: string | undefined;
  readonly state?: string | undefined;
  readonly country?: string | undefined;
  readonly zipCode?: string | undefined;
}

export interface Phone {
  readonly type: 'phone' | 'cell-phone';
  readonly value: string;
}

interface Carrier {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
  /** Ids of the institutions that have a contract with it. */
  readonly owners: readonly string[];
  readonly plans: readonly { readonly id: string; readonly name: string; readonly active: boolean }[];
}

interface Practitioner {
  readonly id: string;
  readonly name: string;
  readonly specialty: string;
  readonly email: string;
  readonly phone: string;
  /** Names of locations, in words for people. */
  readonly location: string;
  readonly available: boolean;
}

export interface Service {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly type: 'CONSULTA' | 'PRACTICA';
  readonly active: boolean;
  /** Names of locations, in words for people. */
  readonly offeredIn: string;
  /** Empty when no single practitioner gives it. */
  readonly practitionerId: string;
  readonly extraDetails: string;
  readonly patientInstruction: string;
  readonly integrationId: string;
  readonly appointmentRequired: boolean;
  readonly requiresAuthorization: boolean;
  readonly availabilityExceptions: string | null;
  readonly minAge: number | null;
  readonly maxAge: number | null;
  readonly sex: 'Male' | 'Female' | null;
  /** Ids of the plans that pay for it; null when every plan does. */
  readonly plans: readonly string[] | null;
  readonly created: Ago;
}

export const weekdays = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] as const;
export type Weekday = (typeof weekdays)[number];

/** A weekly block of slots: one every `minutes` from `from`, the last one ending by `to`, on each of `days`. */
export interface Schedule {
  readonly id: string;
  readonly serviceId: string;
  readonly practitionerId: string;
  readonly locationId: string;
  readonly modality: 'in-person' | 'virtual';
  readonly days: readonly Weekday[];
  readonly from: string;
  readonly to: string;
  readonly minutes: number;
}

export interface Patient {
  readonly id: string;
  readonly name: string;
  readonly lastName: string;
  readonly gender: 'Male' | 'Female' | 'Other';
  readonly birthDate: string;
  readonly identifier: { readonly type: 'DNI' | 'Passport' | 'Other'; readonly value: string };
  readonly medicalRecordId: string;
  readonly phone: string;
  readonly email: string;
  readonly active: boolean;
  readonly address: Place;
  readonly mainPractitionerId?: string | undefined;
}

interface Coverage {
  readonly id: string;
  readonly patientId: string;
  readonly planId: string;
  readonly credentialNumber: string;
  readonly active: boolean;
}

interface FamilyMember {
  readonly id: string;
  readonly patientId: string;
  readonly relatedPatientId: string;
  readonly relationshipCode: number;
  readonly relationshipDescription: string;
  readonly active: boolean;
}

export type FieldType = 'string' | 'date' | 'number' | 'boolean' | 'file';

export interface TicketType {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly status: 'active' | 'inactive';
  readonly created: Ago;
  readonly fields: readonly {
    readonly id: string;
    readonly type: FieldType;
    readonly tooltip: string;
    readonly validationRegex: string;
  }[];
}

export interface Ticket {
  readonly id: string;
  readonly patientId: string;
  readonly ticketTypeId: string;
  readonly status: 'pending' | 'in_progress' | 'completed' | 'rejected' | 'canceled';
  readonly observations: string;
  readonly created: Ago;
  readonly updated: Ago;
  readonly fields: readonly { readonly id: string; readonly value: string }[];
}

/** In a slot of a schedule; the week counts from the one of the seeding, Monday to Sunday. */
export interface Appointment {
  readonly id: string;
  readonly patientId: string;
  readonly scheduleId: string;
  readonly week: number;
  readonly day: Weekday;
  readonly time: string;
  readonly status: 'active' | 'canceled';
  readonly coverageId?: string | undefined;
  readonly payment?: { readonly link: string; readonly status: string } | undefined;
  readonly copay?: number | undefined;
  readonly authorization?: boolean | undefined;
}

interface ChangeRequest {
  readonly id: string;
  readonly patientId: string;
  readonly reasonId: string;
  readonly status: 'in_progress' | 'completed' | 'rejected' | 'canceled';
  readonly practitionerId?: string | undefined;
  readonly observations: string;
  readonly created: Ago;
}

export interface Provider {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly type: 'pharmacy' | 'practitioner' | 'clinic';
  readonly email: string;
  readonly phones: readonly Phone[];
  readonly services: readonly { readonly id: string; readonly name: string; readonly description: string }[];
}

export interface DirectoryEntry {
  readonly location: {
    readonly id: string;
    readonly name: string;
    readonly latitude: string;
    readonly longitude: string;
    readonly address: string;
    readonly zipCode: string;
    readonly email: string;
    readonly phones: readonly Phone[];
  };
  readonly providers: readonly Provider[];
}

/** What is put into a FHIR server: an institution whose parts refer to each other by ids, all of which must be there. */
export interface Hospital {
  readonly institution: { readonly id: string; readonly name: string };
  readonly carriers: readonly Carrier[];
  readonly locations: readonly { readonly id: string; readonly name: string; readonly address: Place }[];
  readonly practitioners: readonly Practitioner[];
  readonly services: readonly Service[];
  readonly schedules: readonly Schedule[];
  readonly patients: readonly Patient[];
  readonly coverages: readonly Coverage[];
  readonly familyMembers: readonly FamilyMember[];
  readonly ticketTypes: readonly TicketType[];
  readonly tickets: readonly Ticket[];
  readonly appointments: readonly Appointment[];
  readonly changeRequests: readonly ChangeRequest[];
  readonly directory: readonly DirectoryEntry[];
}
