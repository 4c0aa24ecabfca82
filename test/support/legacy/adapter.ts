import { type KeyStore, keyStoreSettings, openKeyStore } from '../../../adapters/common/key-store.ts';
import {
  type Booking,
  type Call,
  type Capability,
  listMethods,
  type NewTicket,
  type PortName,
  ports as portClasses,
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
  /** What it finds of a write whose answer was lost. */
  readonly found: (id: string | undefined) => string | undefined;
}

const store: Promise<KeyStore> = openKeyStore(keyStoreSettings.parse({ kind: 'memory' }), 'keys');

/** The adapter over the legacy system at that address. */
export async function openLegacyAdapter(url: string, parts: Partial<Parts> = {}) {
  const { Client = LegacyClient, plant = () => ({}), found = (id) => id } = parts;
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
            const isIt = (each: (typeof items)[number]) =>
              each.status === 'active' &&
              each.start === booking.start &&
              each.practitioners.some(({ id }) => id === booking.practitionerIds[0]);
            return found(items.find(isIt)?.id);
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
          find: async () => found((await list()).find((each) => each.observations === ticket.observations)?.id),
        });
        const opened = (await list()).find((each) => each.id === id);
        if (!opened) throw new Error('the ticket is not listed');
        return opened;
      },
    }),
  };
  return { ...ports, ...plant(ports), retryableWrites: writes };
}
