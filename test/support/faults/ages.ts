import { type Call, type CareService, Failure } from '../../../src/ports/index.ts';
import { type PortFault, type Ports, replace } from './port-fault.ts';

const hours = 3_600_000;

type Limits = Partial<Pick<CareService, 'minAge' | 'maxAge'>>;
type Who = { readonly serviceId: string; readonly patientId?: string };

/** How old the patient is, and for which ages the service is; undefined where there is no such patient. */
async function readAge(
  { 'care-services': services, patients }: Ports,
  { serviceId, patientId }: Who,
  call: Call,
): Promise<{ readonly age: number; readonly limits: Limits } | undefined> {
  const patient = patientId === undefined ? undefined : await patients.get(patientId, call).catch(() => undefined);
  if (!patient) return undefined;
  const limits = (await services.available({}, call)).find(({ id }) => id === serviceId) ?? {};
  const today = new Date(Date.parse(call.now) - 3 * hours).toISOString();
  const years = Number(today.slice(0, 4)) - Number(patient.birthDate.slice(0, 4));
  const age = today.slice(5, 10) < patient.birthDate.slice(5) ? years - 1 : years;
  return { age, limits };
}

/** Whether the patient is of the youngest or the oldest age that the service is for. */
async function isAtLimit(ports: Ports, who: Who, call: Call): Promise<boolean> {
  const found = await readAge(ports, who, call);
  return found !== undefined && [found.limits.minAge, found.limits.maxAge].includes(found.age);
}

/** Slots for a patient who is to the service as `is` says are found as if nobody were named. */
const findSlotsForAny =
  (is: (age: number, limits: Limits) => boolean): PortFault['plant'] =>
  (ports) => ({
    appointments: replace(ports.appointments, {
      slots: async (query, call) => {
        const { patientId: _, ...others } = query;
        const who = await readAge(ports, query, call);
        return ports.appointments.slots(who && is(who.age, who.limits) ? others : query, call);
      },
    }),
  });

/** Faults at the limits of the age that a service is for. */
export const ageFaults: readonly PortFault[] = [
  {
    name: 'slots for a patient who is too young for the service',
    plant: findSlotsForAny((age, { minAge }) => age < (minAge ?? age)),
    caughtBy: 'slots.age',
    named: /outside the age limits of the service/,
  },
  {
    name: 'slots for a patient who is too old for the service',
    plant: findSlotsForAny((age, { maxAge }) => age > (maxAge ?? age)),
    caughtBy: 'slots.age',
    named: /outside the age limits of the service/,
  },
  {
    name: 'an age limit off by one in the list of services',
    plant: (ports) => ({
      'care-services': replace(ports['care-services'], {
        available: async (who, call) => {
          const found = await ports['care-services'].available(who, call);
          const outside = await Promise.all(found.map(({ id }) => isAtLimit(ports, { ...who, serviceId: id }, call)));
          return found.filter((_, index) => !outside[index]);
        },
      }),
    }),
    caughtBy: 'ports.midnight.birthday',
    named: /age limit/,
  },
  {
    name: 'an age limit off by one in slots',
    plant: (ports) => ({
      appointments: replace(ports.appointments, {
        slots: async (query, call) =>
          (await isAtLimit(ports, query, call)) ? { items: [], total: 0 } : ports.appointments.slots(query, call),
      }),
    }),
    caughtBy: 'ports.age-limits.slots',
    named: /age limit/,
  },
  {
    name: 'an age limit off by one in a booking',
    plant: (ports) => ({
      appointments: replace(ports.appointments, {
        book: async (patientId, booking, call) => {
          const { serviceId } = booking;
          if (!(await isAtLimit(ports, { serviceId, patientId }, call))) {
            return ports.appointments.book(patientId, booking, call);
          }
          throw new Failure('invalid', 'the patient is too young or too old', { at: 'serviceId' });
        },
      }),
    }),
    caughtBy: 'ports.age-limits.book',
    named: /age limit/,
  },
];
