import type { Route } from '../../src/contract/subject.ts';
import { areAll, type KnownDisagreement } from './known/known.ts';

/** Something that an adapter cannot say, by its documentation: not compared, and proven to be different still. */
export interface Gap {
  readonly route: Route;
  /** Wherever it stands in the answer; absent: the whole answer. */
  readonly field?: string;
  readonly reason: string;
}

export const gaps: readonly Gap[] = [
  {
    route: 'GET /ticket_types',
    field: 'updated_at',
    reason: 'a server says when it was given a resource: docs/reference/fhir/gaps.md',
  },
  {
    route: 'GET /health-care-services/search',
    field: 'updated_at',
    reason: 'a server says when it was given a resource: docs/reference/fhir/gaps.md',
  },
  {
    route: 'GET /health-care-services/search',
    field: 'offered_in',
    reason: 'words for people, of which FHIR has the name of the first place: docs/reference/fhir/gaps.md',
  },
  {
    route: 'GET /practitioner/',
    field: 'working_hours',
    reason: 'composed from availableTime: docs/reference/fhir/gaps.md',
  },
  {
    route: 'GET /practitioner/',
    field: 'location',
    reason: 'words for people, of which FHIR has the names of places: docs/reference/fhir/gaps.md',
  },
  {
    route: 'GET /patients/{id}/practitioner',
    field: 'working_hours',
    reason: 'composed from availableTime: docs/reference/fhir/gaps.md',
  },
  {
    route: 'GET /patients/{id}/practitioner',
    field: 'location',
    reason: 'words for people, of which FHIR has the names of places: docs/reference/fhir/gaps.md',
  },
  { route: 'GET /api/medical-directory', reason: 'in a world the directory stands apart from the hospital' },
];

/** What R4 cannot settle when several ask for it at the same moment: docs/reference/fhir/gaps.md. */
export const races: readonly KnownDisagreement[] = [
  {
    what: 'a relative who is removed several times at the same moment',
    ruling: 'a DELETE in R4 succeeds for what is gone already, so that each of them is told that it is done',
    harmless: true,
    explains: ({ request, memory, fhir }) =>
      request.route.startsWith('DELETE ') &&
      memory.length > 1 &&
      areAll(memory, /^(200|404 not_found)$/) &&
      areAll(fhir, /^(200|404 not_found)$/),
    example: (id) => [
      {
        route: 'DELETE /patients/{id}/family_group/{family_group_member_id}',
        params: { id: id('Patient', 'ana'), family_group_member_id: id('RelatedPerson', 'ana-bruno') },
        times: 3,
      },
    ],
  },
];

/** What stands under that name anywhere in the value, in order; the value itself without a name. */
export function collectField(value: unknown, field: string | undefined): unknown[] {
  if (field === undefined) return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => (key === field ? [part] : collectField(part, field)));
}
