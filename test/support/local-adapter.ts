import { randomBytes, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import type { OtherPorts } from '../../adapters/adapter.ts';
import { local } from '../../adapters/local/index.ts';
import type { Case } from '../../src/contract/case.ts';
import { sandbox } from '../../src/contract/fixtures.ts';
import { openPostgres } from '../../src/database/postgres.ts';
import { openSqlite } from '../../src/database/sqlite.ts';
import { splitCapability } from '../../src/ports/index.ts';
import { readSecret } from '../../src/toolkit/secret.ts';
import { type Ports, replace } from './faults/port-fault.ts';
import { callNow } from './fhir-calls.ts';
import { offeredMethods } from './offered-methods.ts';
import { openSandbox, bundledWorld as world } from './sandbox.ts';
import { makeFolder } from './sqlite-state.ts';

const methods = Map.groupBy(offeredMethods.local.map(splitCapability), ([port]) => port);

/** How configuration names the adapter for its methods. */
export const localPorts = Object.fromEntries(
  [...methods].map(([port, all]) => [port, { adapter: 'local', only: all.map(([, method]) => method) }]),
);

/** Whether the case proves or uses something that the adapter offers. */
export const concernsLocal = ({ needs, requires = [] }: Case): boolean =>
  [needs, ...requires].some((capability) => offeredMethods.local.includes(capability));

const institution = { timeZone: sandbox.timeZone, locale: 'es-AR', bookingHorizonDays: sandbox.bookingHorizonDays };

/** The ticket types and reasons of the sandbox hospital, as settings. */
export const catalogue = {
  ticketTypes: world.ticketTypes.map(({ created: _, updated: __, ...type }) => type),
  changeReasons: world.changeReasons,
};

/** What a patient may write, each of one kind. */
export const ticket = {
  observations: 'Por favor, antes del viernes',
  fields: [{ id: sandbox.ticketType.checked.id, value: 'Enalapril 10 mg' }],
};
export const relative = {
  relatedPatientId: sandbox.patients.child,
  relationshipCode: 7,
  relationshipDescription: 'sobrina',
  active: true,
};
export const change = {
  reasonId: sandbox.changeReason,
  practitionerId: sandbox.practitioners.second,
  observations: 'Por la tarde',
};

const folder = makeFolder();

/** A reference to a key of 32 bytes. */
export function saveKey(key = randomBytes(32)): string {
  const file = join(folder, randomUUID());
  writeFileSync(file, key.toString('base64'));
  return `file:${file}`;
}

const encryptionKey = saveKey();

/** Settings of a SQLite file that nobody has used yet. */
export const createSqliteSettings = () => ({ file: join(folder, `${randomUUID()}.db`), encryptionKey });

/** The same of a PostgreSQL database. */
export function createPostgresSettings(address: string) {
  const file = join(folder, randomUUID());
  writeFileSync(file, address);
  return { kind: 'postgres', url: `file:${file}`, encryptionKey };
}

/** What an institution does with a tool of its own, beside the gateways. */
export async function runSql(settings: object, sql: string): Promise<readonly object[]> {
  const { kind, file = '', url = '' } = local.settings.parse(settings);
  const database = kind === 'sqlite' ? await openSqlite(file) : await openPostgres(readSecret(url, 'url'));
  const rows = await database.query(sql);
  await database.close();
  return rows;
}

const opened: { close(): Promise<void> }[] = [];
afterAll(async () => {
  for (const each of opened.splice(0)) await each.close();
});

/** The adapter beside these ports, closed after the last test of the file. */
export async function openLocal(given: object, others: OtherPorts<'patients.get' | 'practitioners.list'>) {
  const offer = await local.offer(local.settings.parse({ ...catalogue, ...given }), institution, others);
  opened.push(offer);
  return offer;
}

/** The ports of the sandbox hospital, but those of the adapter. */
export async function openBesideSandbox(given: object, others: Ports = openSandbox()): Promise<Ports> {
  const { tickets, 'family-groups': familyGroups, practitioners } = await openLocal(given, others);
  return {
    ...others,
    tickets: replace(others.tickets, tickets),
    'family-groups': replace(others['family-groups'], familyGroups),
    practitioners: replace(others.practitioners, practitioners),
  };
}

/** Gives the patient who has everything what the contract finds there: the institution has worked on the ticket. */
export async function fillComplete(settings: object, ports: Ports): Promise<void> {
  const { patients, ticketType, changeReason } = sandbox;
  const id = patients.complete;
  const ticket = { observations: 'Por favor', fields: [{ id: ticketType.checked.id, value: ticketType.checked.fits }] };
  const relation = { relationshipCode: 5, relationshipDescription: 'hermano', active: true };
  await ports.tickets.open(id, ticketType.id, ticket, callNow());
  await ports.practitioners.requestChange(id, { reasonId: changeReason }, callNow());
  await ports['family-groups'].add(id, { relatedPatientId: patients.bare, ...relation }, callNow());
  await runSql(settings, `UPDATE puente_local_tickets SET status = 'completed' WHERE patient_id = '${id}'`);
}
