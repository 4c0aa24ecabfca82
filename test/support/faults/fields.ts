import type { Route } from '../../../src/contract/index.ts';
import { changeField, type HttpFault } from './http-fault.ts';

/** One field, or what stands in its place, and the operation whose documented answer has it. */
const rows: readonly (readonly [
  name: string,
  route: Route,
  field: string,
  change: (value: unknown, key: string) => object,
])[] = [
  // Names.
  ['a name in another style', 'GET /patients/{id}', 'last_name', (lastName) => ({ lastName })],
  [
    'a misspelt name of the document put right',
    'GET /patients/{id}/appointments',
    'healht_care_service',
    (health_care_service) => ({ health_care_service }),
  ],
  ['a field that is missing', 'GET /patients/{id}/appointments', 'payments', () => ({})],
  ['a field that is left out where it is null', 'GET /v1/appointments', 'copay', () => ({})],
  ['a field that is not documented', 'GET /patients/{id}', 'id', (id) => ({ id, resourceType: 'Patient' })],
  ['a list under another name', 'GET /v1/insurance-carriers', 'data', (items) => ({ items })],
  ['a page without its totals', 'GET /v1/insurance-carriers', 'totalElements', () => ({})],
  ['an answer to a booking without its id', 'POST /v1/appointments', 'model', () => ({ model: {} })],
  // Types.
  [
    '`active` as a boolean where the document has text',
    'GET /patients/{id}/health_insurances',
    'active',
    (active) => ({ active: active === 'true' }),
  ],
  [
    '`active` as text where the document has a boolean',
    'GET /patients/{id}/family_group',
    'active',
    (active) => ({ active: String(active) }),
  ],
  [
    'a number as text',
    'GET /patients/{id}/family_group',
    'relationship_code',
    (code) => ({ relationship_code: String(code) }),
  ],
  ['text as a number', 'GET /v1/appointments', 'minutesDuration', (minutes) => ({ minutesDuration: Number(minutes) })],
  ['null as empty text', 'GET /v1/appointments', 'authorization', () => ({ authorization: '' })],
  ['empty text as null', 'GET /patients/{id}', 'phone', () => ({ phone: null })],
  ['one object as a list of one', 'GET /patients/{id}', 'address', (address) => ({ address: [address] })],
  [
    'a code in capitals',
    'GET /patients/{id}/appointments',
    'status',
    (status) => ({ status: String(status).toUpperCase() }),
  ],
  ['a code of FHIR in place of the document’s', 'GET /patients/{id}', 'gender', () => ({ gender: 'female' })],
  // Formats.
  [
    'a date with slashes where the document has dashes',
    'GET /patients/{id}',
    'birth_date',
    (day) => ({ birth_date: String(day).replaceAll('-', '/') }),
  ],
  [
    'a date with the day first',
    'GET /v1/appointments',
    'appointmentDate',
    (day) => ({ appointmentDate: String(day).split('-').toReversed().join('-') }),
  ],
  [
    'a date with month and day in each other’s place',
    'GET /patients/{id}',
    'birth_date',
    (day) => ({ birth_date: String(day).replace(/-(\d+)-(\d+)$/, '-$2-$1') }),
  ],
  [
    'a time with seconds',
    'POST /v1/available-slots',
    'appointmentStart',
    (time) => ({ appointmentStart: `${time}:00` }),
  ],
  [
    'a local time that is said to be of UTC',
    'GET /available-appointments/search',
    'date',
    (date) => ({ date: `${date}Z` }),
  ],
  [
    'a timestamp without milliseconds',
    'GET /ticket_types',
    'created_at',
    (instant) => ({ created_at: String(instant).replace(/\.\d{3}Z$/, 'Z') }),
  ],
  [
    'a timestamp with an offset',
    'GET /health-care-services/search',
    'updated_at',
    (instant) => ({ updated_at: String(instant).replace('Z', '-03:00') }),
  ],
];

/** Answers with a field of another name, type or format than the document has. */
export const fieldFaults: readonly HttpFault[] = rows.map(([name, route, field, change]) => ({
  name: `${name}: ${field} of ${route}`,
  plant: changeField(route, field, change),
  caughtBy: `document.${route}.answers`,
  named: /each documented field in its type and format, and no other/,
}));
