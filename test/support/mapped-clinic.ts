import { randomUUID } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll } from '@jest/globals';
import { mapping } from '../../adapters/mapping/index.ts';
import { fixtures, institution } from '../../examples/clinic-adapter/test/fixtures.ts';
import type { Case, FixtureName } from '../../src/contract/index.ts';
import type { Offer } from '../../src/ports/index.ts';
import { formatReason } from '../../src/runtime/adapters.ts';
import { offeredMethods, runsOver } from './offered-methods.ts';
import { makeFolder } from './sqlite-state.ts';

const folder = makeFolder();
const example = 'examples/mapping-sql';
const legacy = 'examples/clinic-adapter/legacy';

const original = join(folder, 'clinica.db');
runScripts(original, [`${legacy}/schema.sql`, `${legacy}/sample.sql`, `${example}/cartilla.sql`]);

function runScripts(database: string, files: readonly string[]): void {
  const clinic = new DatabaseSync(database);
  for (const file of files) clinic.exec(readFileSync(file, 'utf8'));
  clinic.close();
}

/** The file of a new database of the clinic of the example. */
export function makeDatabase(): string {
  const database = join(folder, `${randomUUID()}.db`);
  copyFileSync(original, database);
  return database;
}

/** The mapping file of the example over that database, changed like this. */
export function writeMapping(database: string, change: (text: string) => string = (text) => text): string {
  const file = join(folder, `${randomUUID()}.yaml`);
  const text = readFileSync(`${example}/clinica.yaml`, 'utf8').replace('file: clinica.db', `file: ${database}`);
  writeFileSync(file, change(text));
  return file;
}

const opened: { close?(): Promise<void> }[] = [];
afterAll(async () => {
  for (const each of opened.splice(0)) await each.close?.();
});

/** The adapter on that file, with the notes that `puente check` prints; closed after the last test of the test file. */
export async function openMapping(file: string): Promise<Offer> {
  const offer = await mapping.offer(mapping.settings.parse({ file }), institution, {});
  opened.push(offer);
  const reasons = Object.entries(offer.notOffered ?? {}).map(([capability, why]) => formatReason(capability, why));
  return { ...offer, notes: [...reasons, ...(offer.notes ?? [])] };
}

/** The clinic as a system without a row for each slot: its database, and its mapping file. */
export function makeWeeklyClinic(): { readonly database: string; readonly file: string } {
  const database = makeDatabase();
  runScripts(database, ['test/support/weekly-clinic.sql']);
  const agendas = readFileSync('test/support/weekly-clinic.yaml', 'utf8');
  const file = writeMapping(database, (text) => text.replace(/\nslots:.*(?=\nrelatives:)/s, `\n${agendas}`));
  return { database, file };
}

/** The clinic deletes and closes no record, files no ticket at night, and nobody pays there online. */
const absent: readonly FixtureName[] = [
  ...(['payer', 'removed', 'closed', 'lateTicket'] as const).map((name) => `patients.${name}` as const),
  'appointments.removed',
];

/** True if the clinic of the examples has the records of a case. */
export const concernsClinic = ({ fixtures }: Pick<Case, 'fixtures'>): boolean =>
  !fixtures.some((name) => absent.includes(name));

/** Whether a case can run over a mapping file that answers all that one can. */
export const concernsMapping = (each: Case): boolean => runsOver(offeredMethods.mapping)(each) && concernsClinic(each);

/** What the clinic's database has, with a place of the medical directory, which the adapter of the example lacks. */
export const mappedFixtures = {
  ...fixtures,
  records: {
    ...fixtures.records,
    places: [{ id: '1', name: 'Farmacia del Sol', latitude: '-34.5106', longitude: '-58.4912' }],
  },
};
