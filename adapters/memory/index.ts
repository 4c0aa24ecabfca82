import { z } from 'zod';
import { type PortName, type PortOf, writes } from '../../src/ports/index.ts';
import { adapter } from '../adapter.ts';
import { MemoryAppointments } from './appointments.ts';
import { MemoryCareServices } from './care-services.ts';
import { MemoryDirectory } from './directory.ts';
import { MemoryFamilyGroups } from './family-groups.ts';
import { MemoryInsurance } from './insurance.ts';
import { loadWorld } from './load-world.ts';
import { MemoryPatients } from './patients.ts';
import { MemoryPractitioners } from './practitioners.ts';
import { MemoryTickets } from './tickets.ts';
import type { World } from './world.ts';
import { findBundledWorld, readWorld } from './world-file.ts';

/** Every port, on one world. */
export const createPorts = (world: World): { [N in PortName]: PortOf<N> } => ({
  patients: new MemoryPatients(world),
  tickets: new MemoryTickets(world),
  appointments: new MemoryAppointments(world),
  insurance: new MemoryInsurance(world),
  practitioners: new MemoryPractitioners(world),
  'care-services': new MemoryCareServices(world),
  'family-groups': new MemoryFamilyGroups(world),
  directory: new MemoryDirectory(world),
});

/** A hospital in the memory of this process, loaded from a world file. Changes are lost when the process ends. */
export const memory = adapter({
  settings: z.strictObject({
    world: z.string().min(1).optional().meta({
      file: true,
      description:
        'Path of the JSON file that the hospital starts from. Without it, the sandbox hospital that comes with Puente.',
    }),
  }),
  offer: ({ world }, institution) => ({
    ...createPorts(loadWorld(readWorld(world ?? findBundledWorld()), institution, new Date().toISOString())),
    // By its key, or by what it finds, every write knows what was done before.
    resumes: writes,
  }),
});
