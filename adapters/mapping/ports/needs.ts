import type { Capability } from '../../../src/ports/index.ts';
import type { Meaning } from '../sources/source.ts';
import type { Entry } from './hospital.ts';

/** What a method needs: an entry of the file, or one at least of several. */
export type Need = Entry | readonly Entry[];

const catalogues: readonly Need[] = ['services.all', 'practitioners.all', 'locations.all'];
/** Slots as rows, or weekly schedules with what is taken of them. */
const agenda: readonly Need[] = [
  ['slots.between', 'schedules.all'],
  ['slots.between', 'taken.between'],
];
const family: readonly Need[] = ['patients.byId', 'relatives.ofPatient'];

/** What a mapping file must have for each method. Tickets and requests for another practitioner are not its matter. */
export const needs: { readonly [C in Capability]?: readonly Need[] } = {
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

/** What a change has to be able to mean: of several gateways that make it at once, the system lets one alone succeed. */
export const mustMean: { readonly [C in Capability]?: readonly [Entry, Meaning] } = {
  'patients.register': ['patients.create', 'exists'],
  'appointments.book': ['appointments.book', 'slot_taken'],
  'insurance.create': ['coverages.create', 'exists'],
  'family-groups.add': ['relatives.add', 'exists'],
};
