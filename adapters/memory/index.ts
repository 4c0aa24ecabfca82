import { z } from 'zod';
import { type Day, Failure, type Instant, type PortName, type PortOf, writes } from '../../src/ports/index.ts';
import { refuseEndedCalls } from '../../src/toolkit/failures.ts';
import { SettingsProblem } from '../../src/toolkit/problems.ts';
import { Zone } from '../../src/toolkit/zone.ts';
import { adapter } from '../adapter.ts';
import { createAppointments } from './appointments.ts';
import { enlargeWorld } from './large-world.ts';
import { loadWorld } from './load-world.ts';
import {
  createCareServices,
  createDirectory,
  createFamilyGroups,
  createInsurance,
  createPatients,
  createPractitioners,
  createTickets,
} from './ports.ts';
import { momentOrLocalTime, offerSandbox, SandboxHospital, toMoment } from './sandbox.ts';
import type { World } from './world.ts';
import { findBundledWorld, parseJson, readWorld } from './world-file.ts';

/** Creates every port on one world. */
export const createPorts = (world: World): { [N in PortName]: PortOf<N> } => ({
  patients: refuseEndedCalls(createPatients(world)),
  tickets: refuseEndedCalls(createTickets(world)),
  appointments: refuseEndedCalls(createAppointments(world)),
  insurance: refuseEndedCalls(createInsurance(world)),
  practitioners: refuseEndedCalls(createPractitioners(world)),
  'care-services': refuseEndedCalls(createCareServices(world)),
  'family-groups': refuseEndedCalls(createFamilyGroups(world)),
  directory: refuseEndedCalls(createDirectory(world)),
});

const sandboxSettings = z.strictObject({
  strict: z.boolean().default(false),
  now: momentOrLocalTime.optional(),
  seed: z.int().nonnegative().optional(),
  world: z.literal('large').optional(),
});
type SandboxSettings = Partial<z.output<typeof sandboxSettings>>;

/** A hospital in the memory of this process, loaded from a world file. Changes are lost when the process ends. */
export const memory = adapter({
  settings: z.strictObject({
    world: z.string().min(1).optional().meta({
      file: true,
      description:
        'Path of the JSON file that the hospital starts from. Without it, the sandbox hospital that comes with Puente.',
    }),
    sandbox: z
      .union(
        [z.boolean(), z.literal('production'), sandboxSettings],
        'must be true, false, production or a mapping such as { strict: true, now: 2027-03-01T09:00, seed: 7, world: large }',
      )
      .optional()
      .meta({
        description:
          'Whether it is a sandbox, with scenarios and a clock that can be moved (docs/reference/sandbox.md). `{ strict: true }` refuses unknown query parameters too, `now` freezes its clock, `seed` makes its ids and chances the same at each start, and `world: large` adds 10,000 patients. NODE_ENV=production accepts none of these but production.',
      }),
  }),
  offer: ({ world, sandbox = false }, institution) => {
    // Every write detects an earlier attempt, by its key or by its lookup.
    const more = { retryableWrites: writes };
    if (sandbox === false) {
      const now = new Date().toISOString();
      return { ...createPorts(loadWorld(readWorld(world ?? findBundledWorld()), institution, now)), ...more };
    }
    const cast = world === undefined ? parseJson(findBundledWorld('sandbox-cast.json')) : undefined;
    const { now, world: size, ...options }: SandboxSettings = typeof sandbox === 'object' ? sandbox : {};
    const read = readWorld(world ?? findBundledWorld(), cast);
    const file = size === 'large' ? enlargeWorld(read, options.seed ?? 0) : read;
    const zone = new Zone(institution.timeZone);
    let start: { readonly day: Day; readonly world: World } | undefined;
    // Loading a world takes more than a tenth of a second, during which the process answers nobody. It is therefore
    // loaded once a day.
    const open = (now: Instant, createId: () => string) => {
      const day = zone.toLocalDay(now);
      if (start?.day !== day) start = { day, world: loadWorld(file, institution, now) };
      const own = start.world.copy(createId);
      return { ports: createPorts(own), world: own };
    };
    const frozen = now === undefined ? undefined : readMoment(now, zone);
    return offerSandbox(new SandboxHospital(open, { ...options, content: cast, now: frozen }), more);
  },
});

/** @throws SettingsProblem for a local time that a clock change skips. */
function readMoment(text: string, zone: Zone): Date {
  try {
    return toMoment(text, zone);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new SettingsProblem('sandbox', ['now: a clock change skips this local time: choose another']);
  }
}
