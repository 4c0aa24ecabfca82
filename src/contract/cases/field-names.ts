import type * as port from '../../ports/index.ts';

/**
 * What the document shows of each field of a port's record: its value under a name, fields that are made of it, or
 * nothing. A record that gains a field does not compile until the field is here.
 */
type FieldNames<T> = { readonly [K in keyof T]-?: string | null | ((value: T[K]) => object) };

/** Translates records of a port into the words of the API document. */
const translate =
  <T extends object>(names: FieldNames<T>) =>
  (record: T): object => {
    const body = {};
    for (const field in names) {
      const [name, value] = [names[field], record[field]];
      if (typeof name === 'string') Object.assign(body, { [name]: value });
      else Object.assign(body, name?.(value));
    }
    return body;
  };

const formatFlag = (value: boolean): string => (value ? 'true' : 'false');

const toDescribed = translate<port.Named>({ id: 'id', name: 'description' });

const toPhone = translate<port.Phone>({ type: 'type', value: 'value' });

const toAddress = translate<port.Address>({
  street: 'street',
  number: 'number',
  floor: 'floor',
  apartment: 'apartment',
  city: 'city',
  state: 'state',
  country: 'country',
  zipCode: 'zip_code',
});

export const toPatient = translate<port.Patient>({
  id: 'id',
  name: 'name',
  lastName: 'last_name',
  gender: 'gender',
  birthDate: 'birth_date',
  identifier: ({ type, value }) => ({ identifier_type: type, identifier: Number(value) }),
  medicalRecordId: 'medical_record_id',
  phone: 'phone',
  email: 'email',
  active: null,
  address: (address) => ({ address: toAddress(address) }),
});

export const toTicketType = translate<port.TicketType>({
  id: 'id',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  status: 'status',
  title: 'title',
  description: 'description',
  fields: (fields) => ({
    fields: fields.map(
      translate<port.TicketTypeField>({
        id: 'id',
        type: 'type',
        tooltip: 'tooltip',
        validationRegex: 'validationRegex',
      }),
    ),
  }),
});

export const toTicket = translate<port.Ticket>({
  id: 'uid',
  createdAt: 'createdAt',
  updatedAt: 'updatedAt',
  status: 'status',
  ticketTypeId: 'ticket_type_id',
  observations: 'observations',
  fields: (fields) => ({
    fields: fields.map(
      translate<port.TicketField>({ id: 'id', dataType: 'dataType', value: 'value', tooltip: 'tooltip' }),
    ),
  }),
});

const toCoveredBy = translate<port.Coverage>({
  id: null,
  patientId: null,
  planId: null,
  carrier: 'carrier',
  plan: 'plan',
  credentialNumber: 'credential_number',
  active: (active) => ({ active: formatFlag(active) }),
});

export const toAppointment = translate<port.Appointment>({
  id: 'id',
  patientId: null,
  start: 'date',
  minutes: null,
  status: 'status',
  modality: 'modality',
  cancelable: 'cancelable',
  practitioners: ([first]) => ({ practitioner: first }),
  location: (location) => ({ location: toDescribed(location) }),
  services: (services) => ({ healht_care_service: services.map(toDescribed) }),
  coverage: (coverage) => ({ health_insurances: coverage ? toCoveredBy(coverage) : {} }),
  payment: (payment) => ({ payments: payment ?? {} }),
  copay: null,
  authorization: null,
});

export const toSlot = translate<port.Slot>({
  id: null,
  start: 'date',
  minutes: null,
  serviceId: 'health_care_service_id',
  practitionerId: 'practitioner_id',
  locationId: 'location_id',
  modality: 'mode',
});

export const toCarrier = translate<port.Plan>({
  id: 'id',
  name: 'carrier',
  active: (active) => ({ active: formatFlag(active) }),
});

export const toPlan = translate<port.Plan>({
  id: 'id',
  name: 'plan',
  active: (active) => ({ active: formatFlag(active) }),
});

export const toPractitioner = translate<port.Practitioner>({
  id: 'id',
  name: 'name',
  specialty: 'specialty',
  email: 'email',
  phone: 'phone',
  workingHours: 'working_hours',
  location: 'location',
  available: 'is_available',
});

export const toChangeReason = translate<port.ChangeReason>({ id: 'id', label: 'status' });

export const toService = translate<port.CareService>({
  id: 'id',
  name: 'name',
  description: 'comment',
  type: null,
  active: 'active',
  offeredIn: 'offered_in',
  practitionerId: 'practitioner_id',
  extraDetails: 'extra_details',
  patientInstruction: 'patient_instruction',
  integrationId: 'integration_id',
  appointmentRequired: 'appointment_required',
  requiresAuthorization: null,
  availabilityExceptions: 'availability_exceptions',
  minAge: 'min_age',
  maxAge: 'max_age',
  sexId: 'sex_id',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  deletedAt: 'deleted_at',
});

/** As Group B shows it. */
export const toServiceRow = (service: port.CareService) => ({
  id: service.id,
  name: service.name,
  description: service.description,
  type: service.type,
  appointmentRequired: service.appointmentRequired,
  requiresAuthorization: service.requiresAuthorization,
  practitionerId: service.practitionerId,
});

export const toDirectoryEntry = translate<port.DirectoryEntry>({
  location: (location) => ({
    location: translate<port.DirectoryLocation>({
      id: 'id',
      name: 'name',
      latitude: 'latitude',
      longitude: 'longitude',
      address: 'address',
      zipCode: 'zip_code',
      email: 'email',
      phones: (phones) => ({ phone: phones.map(toPhone) }),
    })(location),
  }),
  providers: (providers) => ({
    provider: providers.map(
      translate<port.DirectoryProvider>({
        id: 'id',
        name: 'name',
        description: 'description',
        type: 'type',
        email: 'email',
        phones: (phones) => ({ phone: phones.map(toPhone) }),
        services: (services) => ({
          service: services.map(
            translate<port.DirectoryProvider['services'][number]>({
              id: 'id',
              name: 'name',
              description: 'description',
            }),
          ),
        }),
      }),
    ),
  }),
});

export const toLocation = translate<port.Location>({
  id: 'id',
  name: 'name',
  address: (address) => ({ address: toAddress(address) }),
});
