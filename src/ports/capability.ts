import { Appointments } from './appointments.ts';
import { CareServices } from './care-services.ts';
import { Directory } from './directory.ts';
import { FamilyGroups } from './family-groups.ts';
import { Insurance } from './insurance.ts';
import { Patients } from './patients.ts';
import { Practitioners } from './practitioners.ts';
import { Tickets } from './tickets.ts';

/** Every port under the name that configuration, capabilities and file names use for it. */
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

/** The port of that name, as a type. */
export type PortOf<N extends PortName> = InstanceType<(typeof ports)[N]>;

type Methods<N extends PortName> = `${N}.${keyof PortOf<N> & string}`;

/** One method of one port, e.g. `patients.update`: what an adapter claims to offer, and an operation needs. */
export type Capability = { [N in PortName]: Methods<N> }[PortName];
