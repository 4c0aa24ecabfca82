import { type Booking, type Call, Failure } from '../../../src/ports/index.ts';
import { type PortFault, replace } from './port-fault.ts';

const withoutKey = ({ idempotencyKey: _, ...call }: Call): Call => call;

/** Writes that take no notice of the key under which they are sent. */
export const idempotencyFaults: readonly PortFault[] = [
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
