import {
  type Booking,
  type Call,
  Failure,
  type NewTicket,
  type PatientRegistration,
} from '../../../src/ports/index.ts';
import { type PortFault, replace } from './port-fault.ts';

const withoutKey = ({ idempotencyKey: _, ...call }: Call): Call => call;

/** The text of a content that leaves out the fields of its fields, as a list of names does to JSON.stringify. */
const digestShallowly = (content: object): string => JSON.stringify(content, Object.keys(content));

/** The first content under each key again, for a content that has the same text. */
function rememberShallowly<T extends object>() {
  const first = new Map<string, T>();
  return ({ idempotencyKey, client }: Call, content: T, ...ids: readonly string[]): T => {
    if (idempotencyKey === undefined) return content;
    const key = JSON.stringify([idempotencyKey, client, ids, digestShallowly(content)]);
    const known = first.get(key) ?? content;
    first.set(key, known);
    return known;
  };
}

/** Contents whose nested fields do not count under a key. */
const shallowFaults: readonly PortFault[] = [
  {
    name: 'a ticket known again under its key without the fields of its fields',
    plant: ({ tickets: port }) => {
      const recall = rememberShallowly<NewTicket>();
      return {
        tickets: replace(port, {
          open: (id, type, ticket, call) => port.open(id, type, recall(call, ticket, id, type), call),
        }),
      };
    },
    caughtBy: 'idempotency.tickets.open',
    named: /which is refused for another content or patient/,
  },
  {
    name: 'a person known again under a key without the number of the document',
    plant: ({ patients: port }) => {
      const recall = rememberShallowly<PatientRegistration>();
      return {
        patients: replace(port, { register: (person, call) => port.register(recall(call, person), call) }),
      };
    },
    caughtBy: 'idempotency.patients.register',
    named: /which no other content shares/,
  },
];

/** Writes that take no notice of the key under which they are sent. */
export const idempotencyFaults: readonly PortFault[] = [
  ...shallowFaults,
  {
    name: 'an ignored key of a booking',
    plant: ({ appointments: port }) => ({
      appointments: replace(port, { book: (id, booking, call) => port.book(id, booking, withoutKey(call)) }),
    }),
    caughtBy: 'idempotency.appointments.book',
    named: /Idempotency-Key/,
  },
  {
    name: 'a booking known again under its key without all of its content',
    plant: ({ appointments: port }) => {
      const first = new Map<string, Booking>();
      return {
        appointments: replace(port, {
          book: (id, booking, call) => {
            const key = JSON.stringify([call.idempotencyKey, call.client, id, booking.start]);
            const known = first.get(key) ?? booking;
            first.set(key, known);
            return port.book(id, known, call);
          },
        }),
      };
    },
    caughtBy: 'idempotency.appointments.book',
    named: /which is refused for another content or patient/,
  },
  {
    name: 'a booking known again under its key without its patient',
    plant: ({ appointments: port }) => {
      const first = new Map<string, string>();
      return {
        appointments: replace(port, {
          book: (id, booking, call) => {
            if (call.idempotencyKey === undefined) return port.book(id, booking, call);
            const key = JSON.stringify([call.idempotencyKey, call.client, booking]);
            const known = first.get(key) ?? id;
            first.set(key, known);
            return port.book(known, booking, call);
          },
        }),
      };
    },
    caughtBy: 'idempotency.appointments.book',
    named: /which is refused for another content or patient/,
  },
  {
    name: 'one key for the bookings of two clients',
    plant: ({ appointments: port }) => ({
      appointments: replace(port, { book: (id, booking, call) => port.book(id, booking, { ...call, client: '' }) }),
    }),
    caughtBy: 'idempotency.appointments.book',
    named: /unless another client sends it/,
  },
  {
    name: 'one key for the tickets of two clients',
    plant: ({ tickets: port }) => ({
      tickets: replace(port, {
        open: (id, type, ticket, call) => port.open(id, type, ticket, { ...call, client: '' }),
      }),
    }),
    caughtBy: 'idempotency.tickets.open',
    named: /unless another client sends it/,
  },
  {
    name: 'a write that failed remembered under its key',
    plant: ({ tickets: port }) => {
      const failed = new Map<string, unknown>();
      return {
        tickets: replace(port, {
          open: async (id, type, ticket, call) => {
            const { idempotencyKey: key = '' } = call;
            if (failed.has(key)) throw failed.get(key);
            return port.open(id, type, ticket, call).catch((error: unknown) => {
              if (key !== '' && error instanceof Failure && error.kind === 'timeout') failed.set(key, error);
              throw error;
            });
          },
        }),
      };
    },
    caughtBy: 'ports.tickets.open.aborted',
    named: /sent again, also under its key/,
  },
  {
    name: 'an ignored key of a ticket',
    plant: ({ tickets: port }) => ({
      tickets: replace(port, { open: (id, type, ticket, call) => port.open(id, type, ticket, withoutKey(call)) }),
    }),
    caughtBy: 'idempotency.tickets.open',
    named: /Idempotency-Key/,
  },
  {
    name: 'an ignored key of a request for a change',
    plant: ({ practitioners: port }) => ({
      practitioners: replace(port, {
        requestChange: (id, request, call) => port.requestChange(id, request, withoutKey(call)),
      }),
    }),
    caughtBy: 'idempotency.practitioners.requestChange',
    named: /Idempotency-Key/,
  },
  {
    name: 'an ignored key of a coverage',
    plant: ({ insurance: port }) => ({
      insurance: replace(port, { create: (coverage, call) => port.create(coverage, withoutKey(call)) }),
    }),
    caughtBy: 'idempotency.insurance.create',
    named: /Idempotency-Key/,
  },
  {
    name: 'an ignored key of a relative',
    plant: ({ 'family-groups': port }) => ({
      'family-groups': replace(port, { add: (id, member, call) => port.add(id, member, withoutKey(call)) }),
    }),
    caughtBy: 'idempotency.family-groups.add',
    named: /Idempotency-Key/,
  },
];
