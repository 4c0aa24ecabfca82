import { type KeyStore, keyStoreSettings, openKeyStore } from '../../../adapters/common/key-store.ts';
import {
  type Appointment,
  type Booking,
  type Call,
  type Capability,
  Failure,
  listMethods,
  type NewTicket,
  type PortName,
  ports as portClasses,
  type Ticket,
  writes,
} from '../../../src/ports/index.ts';
import { type Ports, replace } from '../faults/port-fault.ts';
import { LegacyClient } from './client.ts';

export type Client = typeof LegacyClient;

/** What an author writes of the adapter, and may get wrong. */
export interface Parts {
  readonly Client: Client;
  /** The ports with something done to them. */
  readonly plant: (ports: Ports) => Partial<Ports>;
  /** How it knows a booking again whose answer was lost. */
  readonly isBooked: (each: Appointment, booking: Booking) => boolean;
  /** How it knows a ticket again. */
  readonly isOpened: (each: Ticket, ticket: NewTicket) => boolean;
}

export const parts: Parts = {
  Client: LegacyClient,
  plant: () => ({}),
  isBooked: ({ status, start, practitioners }, booking) =>
    status === 'active' && start === booking.start && practitioners.some(({ id }) => id === booking.practitionerIds[0]),
  isOpened: (each, { observations }) => each.observations === observations,
};

const store: Promise<KeyStore> = openKeyStore(keyStoreSettings.parse({ kind: 'memory' }), 'keys');

/** The adapter over the legacy system at that address. */
export async function openLegacyAdapter(url: string, others: Partial<Parts> = {}) {
  const { Client, plant, isBooked, isOpened } = { ...parts, ...others };
  const client = new Client(url);
  const keys = await store;
  const methods = (name: PortName) =>
    Object.fromEntries(
      listMethods(name).map((method) => [
        method,
        (...given: readonly unknown[]) =>
          client.ask(`${name}.${method}` as Capability, given.slice(0, -1), given.at(-1) as Call),
      ]),
    );
  const asked = Object.fromEntries(
    (Object.keys(portClasses) as PortName[]).map((name) => [name, methods(name)]),
  ) as unknown as Ports;
  const withoutKey = ({ idempotencyKey: _, ...call }: Call): Call => call;
  const ports: Ports = {
    ...asked,
    // The system keeps no keys of these.
    appointments: replace(asked.appointments, {
      book: async (patientId: string, booking: Booking, call: Call) => ({
        id: await keys.once(call, {
          content: ['book', patientId, booking],
          write: async () => (await asked.appointments.book(patientId, booking, withoutKey(call))).id,
          find: async () => {
            const { items } = await asked.appointments.list(patientId, { order: 'ascending' }, call);
            return items.find((each) => isBooked(each, booking))?.id;
          },
        }),
      }),
    }),
    tickets: replace(asked.tickets, {
      open: async (patientId: string, typeId: string, ticket: NewTicket, call: Call) => {
        const list = () => asked.tickets.list(patientId, { ticketTypeId: typeId }, call);
        const id = await keys.once(call, {
          content: ['open', patientId, typeId, ticket],
          write: async () => (await asked.tickets.open(patientId, typeId, ticket, withoutKey(call))).id,
          find: async () => (await list()).find((each) => isOpened(each, ticket))?.id,
        });
        const listed = await list().catch(() => {
          throw new Failure('outcome_unknown', 'the ticket is filed, and cannot be shown');
        });
        const opened = listed.find((each) => each.id === id);
        if (!opened) throw new Error('the ticket is not listed');
        return opened;
      },
    }),
  };
  return { ...ports, ...plant(ports), retryableWrites: writes };
}
