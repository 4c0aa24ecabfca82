import fs from 'node:fs';
import { Failure } from '../../../src/ports/index.ts';
import { readSecret } from '../../../src/toolkit/secret.ts';
import { callNow } from '../fhir-calls.ts';
import { type PortFault, type Ports, replace } from './port-fault.ts';

/** The method, whose failures tell the name of the patient whom it is called for. */
const tellName =
  <A extends readonly unknown[], R>({ patients }: Ports, method: (id: string, ...rest: A) => Promise<R>) =>
  async (id: string, ...rest: A): Promise<R> => {
    try {
      return await method(id, ...rest);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const { lastName } = await patients.get(id, callNow());
      const { kind, code, at } = error;
      throw new Failure(kind, `${error.message}: ${lastName}`, { ...(code && { code }), ...(at && { at }) });
    }
  };

/** Conflicts that say who the other patient is. */
const namesOfOthers: readonly PortFault[] = [
  {
    name: 'a name in the refusal of a slot that another patient has',
    plant: (ports) => {
      const { appointments } = ports;
      const holders = new Map<string, string>();
      return {
        appointments: replace(appointments, {
          book: async (id, booking, call) => {
            const book = () => appointments.book(id, booking, call);
            const holder = holders.get(booking.start);
            const booked = await (holder ? tellName(ports, book)(holder) : book());
            holders.set(booking.start, id);
            return booked;
          },
        }),
      };
    },
    caughtBy: 'appointments.book.taken',
    named: /does not name that patient/,
  },
  {
    name: 'a name in the refusal of a document that another patient has',
    plant: (ports) => ({
      patients: replace(ports.patients, {
        register: async (person, call) => {
          const [holder] = await ports.patients.search({ identifier: person.identifier.value }, call);
          const register = () => ports.patients.register(person, call);
          return holder ? tellName(ports, register)(holder.id) : register();
        },
      }),
    }),
    caughtBy: 'patients.register.conflict',
    named:
      /register refuses an identifier of a person with another birth date or gender, names nobody, and changes nothing/,
  },
];

/** Failures that say who the patient is. */
const namesOfPatients: readonly PortFault[] = Object.entries<(ports: Ports) => Partial<Ports>>({
  'patients.update': (ports) => ({
    patients: replace(ports.patients, {
      update: tellName(ports, (id, changes, call) => ports.patients.update(id, changes, call)),
    }),
  }),
  'tickets.open': (ports) => ({
    tickets: replace(ports.tickets, {
      open: tellName(ports, (id, type, ticket, call) => ports.tickets.open(id, type, ticket, call)),
    }),
  }),
  'appointments.book': (ports) => ({
    appointments: replace(ports.appointments, {
      book: tellName(ports, (id, booking, call) => ports.appointments.book(id, booking, call)),
    }),
  }),
  'appointments.cancel': (ports) => ({
    appointments: replace(ports.appointments, {
      cancel: tellName(ports, (id, appointment, call) => ports.appointments.cancel(id, appointment, call)),
    }),
  }),
  'practitioners.requestChange': (ports) => ({
    practitioners: replace(ports.practitioners, {
      requestChange: tellName(ports, (id, request, call) => ports.practitioners.requestChange(id, request, call)),
    }),
  }),
  'family-groups.remove': (ports) => ({
    'family-groups': replace(ports['family-groups'], {
      remove: tellName(ports, (id, member, call) => ports['family-groups'].remove(id, member, call)),
    }),
  }),
}).map(([capability, plant]) => ({
  name: `a name in a Failure of ${capability}`,
  plant,
  caughtBy: `ports.${capability}.private`,
  named: /neither a Failure nor the output of the process contains a name/,
}));

/** The code of what caused a failure is written to the log. */
const causesOfFailures: readonly PortFault[] = [
  {
    name: 'a document number in the code of the cause of a Failure',
    plant: ({ patients }) => ({
      patients: replace(patients, {
        update: (id, changes, call) =>
          patients.update(id, changes, call).catch((error: unknown) => {
            if (!(error instanceof Failure)) throw error;
            const { kind, message, code } = error;
            throw new Failure(kind, message, { code, cause: { code: `DUP_${changes.identifier?.value}` } });
          }),
      }),
    }),
    caughtBy: 'ports.patients.update.private',
    named: /neither a Failure nor the output of the process contains a name, document/,
  },
];

/** Adapters that write patient data to the output of the process, each in another way. */
const outputsOfPatients: readonly PortFault[] = (
  [
    ['stdout', (text) => process.stdout.write(text)],
    ['stderr', (text) => process.stderr.write(text)],
    ['the file descriptor of the output', (text) => fs.writeSync(2, text)],
  ] satisfies [string, (text: string) => unknown][]
).map(([way, write]) => ({
  name: `what was sent written to ${way} when it is refused`,
  plant: ({ patients }) => ({
    patients: replace(patients, {
      update: (id, changes, call) =>
        patients.update(id, changes, call).catch((error: unknown) => {
          write(`refused: ${JSON.stringify(changes)}\n`);
          throw error;
        }),
    }),
  }),
  caughtBy: 'ports.patients.update.private',
  named: /nor the output of the process contains a name, document/,
}));

/** The adapter tells its own secret to a caller who asks for an unknown patient. */
const secretsOfSettings: readonly PortFault[] = [
  {
    name: 'the login of the adapter in a Failure',
    plant: ({ patients }) => {
      process.env.PLANTED_SECRET = 'norte-secreto';
      const password = readSecret('env:PLANTED_SECRET', 'password');
      return {
        patients: replace(patients, {
          get: (id, call) =>
            patients.get(id, call).catch((error: unknown) => {
              if (!(error instanceof Failure)) throw error;
              throw new Failure(error.kind, `no such patient (asked as puente:${password})`);
            }),
        }),
      };
    },
    caughtBy: 'ports.patients.get.private',
    named: /or a secret of the settings/,
  },
];

/** Failures that say who somebody is, or what the adapter logs in with. */
export const privacyFaults: readonly PortFault[] = [
  ...namesOfPatients,
  ...namesOfOthers,
  ...causesOfFailures,
  ...outputsOfPatients,
  ...secretsOfSettings,
];
