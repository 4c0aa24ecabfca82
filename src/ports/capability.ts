import { Appointments } from './appointments.ts';
import { CareServices } from './care-services.ts';
import { Directory } from './directory.ts';
import { FamilyGroups } from './family-groups.ts';
import { Insurance } from './insurance.ts';
import { Patients } from './patients.ts';
import { Practitioners } from './practitioners.ts';
import { Tickets } from './tickets.ts';

/** Every port by the name that configuration and capabilities use. */
export const ports = {
  patients: Patients,
  tickets: Tickets,
  appointments: Appointments,
  insurance: Insurance,
  practitioners: Practitioners,
  'care-services': CareServices,
  'family-groups': FamilyGroups,
  directory: Directory,
} as const;

export type PortName = keyof typeof ports;

const isPortName = (name: string): name is PortName => Object.hasOwn(ports, name);

/** The names of all ports. */
export const portNames: readonly PortName[] = Object.keys(ports).filter(isPortName);

/** The type of the port with that name. */
export type PortOf<N extends PortName> = InstanceType<(typeof ports)[N]>;

/** A method of a port, e.g. `patients.update`. An adapter offers capabilities, and an operation uses them. */
export type Capability = { [N in PortName]: `${N}.${keyof PortOf<N> & string}` }[PortName];

/** The port of a capability, and the methods of that port among the capabilities. */
export type PortNameOf<C extends Capability> = C extends `${infer N extends PortName}.${string}` ? N : never;
export type PortFor<C extends Capability, P = PortOf<PortNameOf<C>>> = Pick<P, MethodOf<C> & keyof P>;
type MethodOf<C extends Capability> = C extends `${PortNameOf<C>}.${infer M}` ? M : never;

const listed = {
  'patients.search': true,
  'patients.get': true,
  'patients.register': true,
  'patients.update': true,
  'tickets.types': true,
  'tickets.type': true,
  'tickets.list': true,
  'tickets.open': true,
  'appointments.list': true,
  'appointments.slots': true,
  'appointments.book': true,
  'appointments.cancel': true,
  'insurance.carriers': true,
  'insurance.plans': true,
  'insurance.coverages': true,
  'insurance.create': true,
  'insurance.edit': true,
  'practitioners.list': true,
  'practitioners.mainOf': true,
  'practitioners.changeReasons': true,
  'practitioners.requestChange': true,
  'practitioners.changeRequestOf': true,
  'care-services.available': true,
  'care-services.frequent': true,
  'family-groups.list': true,
  'family-groups.add': true,
  'family-groups.remove': true,
  'directory.locations': true,
  'directory.entries': true,
} satisfies Record<Capability, true>;

/** Every method of every port. A missing one is a compile error. */
export const capabilities: readonly Capability[] = Object.keys(listed).filter(isCapability);

function isCapability(name: string): name is Capability {
  return Object.hasOwn(listed, name);
}

/** The port and the method that a capability names. */
export function splitCapability(capability: Capability): [PortName, string] {
  const [port = '', method = ''] = capability.split('.');
  if (!isPortName(port)) throw new TypeError(`there is no port ${port}`);
  return [port, method];
}

/** The names of a port's methods. Empty if there is no such port. */
export const listMethods = (port: string): readonly string[] =>
  capabilities.filter((c) => c.startsWith(`${port}.`)).map((c) => c.slice(port.length + 1));

/** The methods that change the institution's data. */
export const writes: readonly Capability[] = [
  'patients.register',
  'patients.update',
  'tickets.open',
  'appointments.book',
  'appointments.cancel',
  'insurance.create',
  'insurance.edit',
  'practitioners.requestChange',
  'family-groups.add',
  'family-groups.remove',
];
