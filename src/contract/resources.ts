/** Fields of these names that all have this type. */
type Fields<N extends string, T = string> = Readonly<Record<N, T>>;

/** The fields of a patient that the cases read. `document.yaml` defines the whole shape of a response. */
export type PatientBody = Fields<
  'id' | 'name' | 'last_name' | 'gender' | 'birth_date' | 'identifier_type' | 'email' | 'phone'
> & {
  readonly identifier: number | string;
  readonly address: Readonly<Record<string, string>>;
};

/** The address in a response if these parts are known. */
export const showAddress = (known: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  ...{ street: '', number: '', city: '', state: '', country: '', zip_code: '' },
  ...known,
});

export type TicketTypeBody = Fields<'id' | 'status' | 'title'> & {
  readonly fields: readonly Fields<'id' | 'type' | 'tooltip' | 'validationRegex'>[];
};
export type TicketBody = Fields<'uid' | 'createdAt' | 'updatedAt' | 'status' | 'ticket_type_id' | 'observations'> & {
  readonly fields: readonly Fields<'id' | 'dataType' | 'value'>[];
};

export type CoverageBody = Fields<'id' | 'carrier' | 'plan' | 'credential_number' | 'active'>;
export type CarrierA = Fields<'id' | 'carrier' | 'active'>;
export type PlanBody = Fields<'id' | 'plan' | 'active'>;

export type AppointmentA = Fields<'id' | 'date' | 'status' | 'modality'> & {
  readonly payments: Partial<Fields<'link' | 'status'>>;
  readonly health_insurances: Partial<Fields<'carrier' | 'plan' | 'credential_number' | 'active'>>;
  readonly practitioner: Fields<'id' | 'name'>;
  readonly cancelable: boolean;
  readonly location: Fields<'id' | 'description'>;
  readonly healht_care_service: readonly Fields<'id' | 'description'>[];
};
export type SlotA = Fields<'date' | 'health_care_service_id' | 'practitioner_id' | 'location_id' | 'mode'>;

export type PractitionerBody = Fields<'id' | 'name'>;
export type ServiceA = Fields<'id' | 'name' | 'practitioner_id'> &
  Fields<'active' | 'appointment_required', boolean> &
  Fields<'min_age' | 'max_age' | 'sex_id', number | null>;
export type FamilyMemberBody = Fields<'id' | 'related_patient_id' | 'relationship_description'> & {
  readonly relationship_code: number;
};
export type DirectoryEntryBody = {
  readonly location: Fields<'id' | 'latitude'> & { readonly phone: readonly Phone[] };
  readonly provider: readonly (Fields<'id'> & {
    readonly phone: readonly Phone[];
    readonly service: readonly Fields<'id'>[];
  })[];
};
type Phone = Fields<'type' | 'value'>;
export type LocationBody = Fields<'id' | 'name'> & { readonly address: Readonly<Record<string, string>> };

export type SlotB = Fields<
  | 'appointmentId'
  | 'hcsId'
  | 'practitionerId'
  | 'locationId'
  | 'appointmentDate'
  | 'appointmentStart'
  | 'minutesDuration'
  | 'modality'
>;
export type AppointmentB = Fields<
  'id' | 'patientId' | 'hcsId' | 'appointmentDate' | 'appointmentStart' | 'minutesDuration' | 'appointmentStatus'
> & { readonly practitionersIds: readonly string[] };
export type ServiceB = Fields<'id' | 'name' | 'type' | 'practitionerId'> &
  Fields<'appointmentRequired' | 'requiresAuthorization', boolean>;
export type CarrierB = Fields<'id' | 'name'>;

/** A page of a list of Group B. */
export interface Paged<T> {
  readonly data: readonly T[];
  readonly pagination: Fields<'totalPages' | 'totalElements' | 'page' | 'limit' | 'numberOfElements', number>;
}
