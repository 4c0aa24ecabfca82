import type { Route } from '../../../src/contract/index.ts';
import { changeField, type HttpFault } from './http-fault.ts';

/** An operation, one field of its documented answer, and what stands in its place. */
const rows: readonly (readonly [name: string, route: Route, field: string, wrong: object])[] = [
  // Names.
  ['a name in another style', 'GET /patients/{id}', 'last_name', { lastName: 'Paz' }],
  [
    'a misspelt name of the document put right',
    'GET /patients/{id}/appointments',
    'healht_care_service',
    { health_care_service: null },
  ],
  ['a field that is missing', 'GET /patients/{id}/appointments', 'payments', {}],
  ['a field that is left out where it is null', 'GET /v1/appointments', 'copay', {}],
  ['an undocumented field', 'GET /patients/{id}', 'phone', { phone: '', resourceType: 'Patient' }],
  ['a list under another name', 'GET /v1/insurance-carriers', 'data', { items: [] }],
  ['a page without its totals', 'GET /v1/insurance-carriers', 'totalElements', {}],
  ['an answer to a booking without its id', 'POST /v1/appointments', 'model', { model: {} }],
  // Types.
  [
    '`active` as a boolean where the document has text',
    'GET /patients/{id}/health_insurances',
    'active',
    { active: true },
  ],
  [
    '`active` as text where the document has a boolean',
    'GET /patients/{id}/family_group',
    'active',
    { active: 'true' },
  ],
  ['a number as text', 'GET /patients/{id}/family_group', 'relationship_code', { relationship_code: '1' }],
  ['text as a number', 'GET /v1/appointments', 'minutesDuration', { minutesDuration: 20 }],
  ['null as empty text', 'GET /v1/appointments', 'authorization', { authorization: '' }],
  ['empty text as null', 'GET /patients/{id}', 'phone', { phone: null }],
  ['one object as a list of one', 'GET /patients/{id}', 'address', { address: [{}] }],
  ['a code in capitals', 'GET /patients/{id}/appointments', 'status', { status: 'ACTIVE' }],
  ['a code of FHIR in place of the document’s', 'GET /patients/{id}', 'gender', { gender: 'female' }],
  // Formats.
  [
    'a date with slashes where the document has dashes',
    'GET /patients/{id}',
    'birth_date',
    { birth_date: '1980/12/31' },
  ],
  ['a date with the day first', 'GET /v1/appointments', 'appointmentDate', { appointmentDate: '31-12-2026' }],
  ['a date with month and day in each other’s place', 'GET /patients/{id}', 'birth_date', { birth_date: '1980-31-12' }],
  ['a time with seconds', 'POST /v1/available-slots', 'appointmentStart', { appointmentStart: '09:00:00' }],
  [
    'a local time that is said to be of UTC',
    'GET /available-appointments/search',
    'date',
    { date: '2026-12-31T09:00:00Z' },
  ],
  ['a timestamp without milliseconds', 'GET /ticket_types', 'created_at', { created_at: '2026-12-31T09:00:00Z' }],
  [
    'a timestamp with an offset',
    'GET /health-care-services/search',
    'updated_at',
    { updated_at: '2026-12-31T09:00:00.000-03:00' },
  ],
];

/** Answers with a field of another name, type or format than the document has. */
export const fieldFaults: readonly HttpFault[] = rows.map(([name, route, field, wrong]) => ({
  name: `${name}: ${field} of ${route}`,
  plant: changeField(route, field, () => wrong),
  caughtBy: `document.${route}.answers`,
  named: /exactly the documented fields in their types and formats/,
}));
