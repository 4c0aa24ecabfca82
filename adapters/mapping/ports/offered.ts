import { type Capability, capabilities, type Offer, writes } from '../../../src/ports/index.ts';
import type { Meaning } from '../sources/source.ts';
import type { EntryName, Hospital } from './hospital.ts';

/** The port methods that the file supports, and the reason for each missing one. */
export function selectOffered(hospital: Hospital, ports: Offer): Offer & { readonly notes: readonly string[] } {
  const reasons = capabilities.map((each) => [each, explainMissing(hospital, each)] as const);
  const notOffered: Offer['notOffered'] = Object.fromEntries(reasons.filter(([, reason]) => reason !== undefined));
  const isOffered = (each: Capability) => !Object.hasOwn(notOffered, each);
  const offered = Object.entries(ports).map(
    ([name, port]) =>
      [
        name,
        Object.fromEntries(
          Object.entries<unknown>({ ...port }).filter(([method]) => isOffered(`${name}.${method}` as Capability)),
        ),
      ] as const,
  );
  const notes = isOffered('patients.search') && !hospital.has('patients.byBirthDate') ? [byDocumentAlone] : [];
  return { ...Object.fromEntries(offered), retryableWrites: writes.filter(isOffered), notOffered, notes };
}

const byDocumentAlone =
  'patients.search finds patients only by their documents, and answers 501 to a birth date: the file has no patients.byBirthDate';

/** Undefined if the method is offered. */
function explainMissing(hospital: Hospital, capability: Capability): string | undefined {
  const lacking = (needs[capability] ?? [])
    .map((need) => (typeof need === 'string' ? [need] : need))
    .filter((entries) => !entries.some((entry) => hospital.has(entry)))
    .map((entries) => entries.join(' or '));
  if (lacking.length > 0) return `the file has no ${lacking.join(', ')}`;
  const [entry, meaning] = mustMean[capability] ?? [];
  if (!entry || !meaning || hospital.canMean(entry, meaning)) return undefined;
  return `two clients at once could both succeed, because nothing in ${entry} returns ${meaning}: a unique key, mustChange or a code`;
}

/** A method's requirement: an entry of the file, or at least one of several. */
export type Need = EntryName | readonly EntryName[];

const catalogues: readonly Need[] = ['services.all', 'practitioners.all', 'locations.all'];
/** Slots as rows, or weekly schedules with their taken times. */
const agenda: readonly Need[] = [
  ['slots.between', 'schedules.all'],
  ['slots.between', 'taken.between'],
];
const family: readonly Need[] = ['patients.byId', 'relatives.ofPatient'];

/** The entries of a mapping file that each method requires. Tickets and change requests are not included. */
const needs: { readonly [C in Capability]?: readonly Need[] } = {
  'patients.search': ['patients.byDocument'],
  'patients.get': ['patients.byId'],
  'patients.register': ['patients.byDocument', 'patients.create'],
  'patients.update': ['patients.byId', 'patients.byDocument', 'patients.update'],
  'appointments.list': ['patients.byId', 'appointments.ofPatient', ...catalogues],
  'appointments.slots': ['patients.byId', ...catalogues, ...agenda],
  'appointments.book': ['patients.byId', 'appointments.ofPatient', 'appointments.book', ...catalogues, ...agenda],
  'appointments.cancel': ['patients.byId', 'appointments.ofPatient', 'appointments.cancel'],
  'insurance.carriers': ['carriers.all'],
  'insurance.plans': ['carriers.all', 'plans.all'],
  'insurance.coverages': ['patients.byId', 'coverages.ofPatient'],
  'insurance.create': ['patients.byId', 'plans.all', 'coverages.ofPatient', 'coverages.create', 'coverages.edit'],
  'insurance.edit': ['plans.all', 'coverages.byId', 'coverages.edit'],
  'practitioners.list': ['practitioners.all'],
  'practitioners.mainOf': ['patients.byId', 'practitioners.mainOf'],
  'care-services.available': ['patients.byId', 'services.all'],
  'care-services.frequent': ['patients.byId', 'services.all', 'coverages.byId', 'appointments.ofPatient'],
  'family-groups.list': family,
  'family-groups.add': [...family, 'relatives.add'],
  'family-groups.remove': [...family, 'relatives.remove'],
  'directory.locations': ['locations.all'],
  'directory.entries': ['entries.all'],
};

/** The meaning that a change must be able to return: it lets one of several parallel gateways succeed. */
export const mustMean: { readonly [C in Capability]?: readonly [EntryName, Meaning] } = {
  'patients.register': ['patients.create', 'exists'],
  'appointments.book': ['appointments.book', 'slot_taken'],
  'insurance.create': ['coverages.create', 'exists'],
  'family-groups.add': ['relatives.add', 'exists'],
};
