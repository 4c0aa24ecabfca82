import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DatabaseDriver } from '../../../adapters/common/sql-driver.ts';
import type { MappingFile } from '../../../adapters/mapping/file/schema.ts';
import { nameSlots } from '../../../adapters/mapping/ports/appointments.ts';
import type { EntryName, Hospital } from '../../../adapters/mapping/ports/hospital.ts';
import { mustMean } from '../../../adapters/mapping/ports/offered.ts';
import { computeLastDay, listSlots } from '../../../adapters/mapping/ports/slots.ts';
import type { HttpSettings } from '../../../adapters/mapping/sources/http/schema.ts';
import { encodeText } from '../../../adapters/mapping/sources/http/template.ts';
import { openSources, type Sources } from '../../../adapters/mapping/sources/open-sources.ts';
import type { ChangeResult, Meaning } from '../../../adapters/mapping/sources/source.ts';
import { toRows } from '../../../adapters/mapping/sources/sql/driver.ts';
import { Failure } from '../../ports/index.ts';
import { type Entry, formatEntry, type Given, listEntries, run } from './open.ts';

/** What is wrong at a key of the file. */
export interface Problem {
  readonly path: readonly string[];
  readonly what: string;
}
type Note = (line: string) => void;

const ID = '987654321';
const unknownValues: Given = { id: ID, patientId: ID, appointmentId: ID, identifier: ID, birthDate: '1900-01-02' };

const pick = (given: Given, { names }: Entry): Given =>
  Object.fromEntries(Object.entries(given).filter(([name]) => name in names));

/** Asks a question for what nobody has, which shows whether it is asked for at all. */
export async function askForNobody(hospital: Hospital, entry: Entry, isHttp: boolean): Promise<Problem[]> {
  const { appointmentId: _, ...given } = pick(unknownValues, entry);
  const { gives, fails, omitted } = await run(hospital, entry, given);
  const path = [entry.thing, entry.name];
  const count = (Array.isArray(gives) ? gives.length : 0) + omitted.length;
  const asked = Object.keys(given).map((name) => `:${name}`);
  if (count > 0) {
    const what = `answers ${count} records for ${asked.join(', ')} that nobody has; is it compared with the right column, or sent under the right name?`;
    return [{ path, what }];
  }
  if (!isHttp || fails === undefined) return [];
  return [
    { path, what: `fails with ${fails} for ${asked.join(', ')} that nobody has; give that answer the meaning nothing` },
  ];
}

const call = () => ({
  requestId: randomUUID(),
  client: 'mapping',
  now: new Date().toISOString(),
  signal: AbortSignal.timeout(60_000),
  omit: () => undefined,
});

/**
 * Makes each change in a transaction that is undone: for what nobody has, and twice where only one may succeed.
 * @param patient the id of an invented patient.
 */
export async function rehearseChanges(
  file: MappingFile,
  hospital: Hospital,
  patient: string | undefined,
  note: Note,
): Promise<Problem[]> {
  const guarded = Object.values(mustMean).filter(([name, meaning]) => hospital.canMean(name, meaning));
  const found: Problem[] = [];
  for (const entry of listEntries(file).filter(({ isChange }) => isChange)) {
    const name = formatEntry(entry);
    const path = [entry.thing, entry.name];
    const must = guarded.find(([each]) => each === name)?.[1];
    const isMaking = Object.values(mustMean).some(([each]) => each === name);
    if (isMaking && !must) continue;
    try {
      const [given, perSlot] = must
        ? await invent(name as EntryName, patient ?? ID, hospital)
        : [pick(unknownValues, entry), []];
      if (!given) {
        note(`${name} is not tried: there is nothing to try it with`);
        continue;
      }
      const results = await hospital.rehearse(entry.thing, entry.name, given, call(), perSlot);
      if (!results) {
        if (must)
          note(
            `${name} is not tried, since it could not be undone: puente contract tries it, at level destructive on a copy`,
          );
        continue;
      }
      if (must)
        found.push(...listMistakes(results, must, (line) => note(`${name} ${line}`)).map((what) => ({ path, what })));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.kind === 'bad_answer')
        found.push({ path, what: 'changes more rows than `changes` allows, 1 where it is left out' });
      else note(`${name} is not tried: ${error.message}`);
    }
  }
  return found;
}

function listMistakes([first, second]: readonly ChangeResult[], must: Meaning, note: Note): string[] {
  if (first && 'meaning' in first) {
    if (!/^(refused|invalid|nothing)$/.test(first.meaning))
      return [`means ${first.meaning} although nothing stands in its way`];
    note('is not tried, since there is no such patient: name an invented one by --patient');
    return [];
  }
  if (!second || !('meaning' in second)) {
    return [
      `can be made twice: nothing in it means ${must} the second time; add a condition, a unique key or NOT EXISTS`,
    ];
  }
  if (second.meaning !== must) return [`means ${second.meaning} the second time, which should be ${must}`];
  note(`was made twice and undone: the second one means ${must}`);
  return [];
}

/** What is given to a change that makes something, and to each of its slots. */
async function invent(name: EntryName, patientId: string, hospital: Hospital): Promise<[Given | undefined, object[]]> {
  switch (name) {
    case 'patients.create':
      return [{ ...unknownValues, identifierType: 'DNI', gender: 'Female', name: 'Puente', lastName: 'Check' }, []];
    case 'coverages.create': {
      const [plan] = await hospital.find('plans', 'all', {}, call());
      return [plan && { patientId, planId: plan.id, credentialNumber: 'puente-check' }, []];
    }
    case 'relatives.add':
      return [
        { patientId, relatedPatientId: patientId, relationshipCode: 1, relationshipDescription: '', active: true },
        [],
      ];
    default: {
      const { now } = call();
      const days = { from: hospital.zone.toLocalDay(now), to: computeLastDay(hospital, { now }) };
      const slots = await listSlots(hospital, days, call());
      const free = slots.find(({ isFree, begins }) => isFree && begins > Date.parse(now));
      if (!free) return [undefined, []];
      const { values, perSlot } = nameSlots([free]);
      return [{ ...values, patientId }, perSlot];
    }
  }
}

/** What the system answers, in its place. */
export interface Answers {
  /** The answer over HTTP, or one for each page. */
  readonly answer?: string | readonly string[] | undefined;
  readonly status?: number | undefined;
  readonly rows?: readonly Readonly<Record<string, unknown>>[] | undefined;
  readonly changed?: number | undefined;
}

/** What stands in for the system of a mapping file: nothing of it is reached, no secret is read, and nobody logs in. */
export const openStandIn =
  (answers: Answers) =>
  async ({ system, http, database }: MappingFile): Promise<Sources> => {
    const server = http && (await listen(http, answers));
    const file = { system, http: server?.settings, database };
    const sources = await openSources(
      file,
      async () => openRows(answers),
      (reference) => reference,
    );
    return { ...sources, close: async () => server?.close() };
  };

async function listen(settings: HttpSettings, { answer = '', status = 200 }: Answers) {
  const left = [answer].flat();
  const server = createServer((_, response) => {
    // Links to further pages lead here, too.
    const text = (left.shift() ?? '').replaceAll(settings.url, url);
    response.writeHead(status).end(encodeText(text, settings.charset));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const open = { headers: {}, tls: {}, proxy: undefined, login: { kind: 'none' }, retries: 0 } as const;
  return { settings: { ...settings, ...open, url }, close: () => server[Symbol.asyncDispose]() };
}

/** A database that answers each question, and each statement of a change, in the same way. */
const openRows = ({ rows = [], changed = 1 }: Answers): DatabaseDriver => ({
  system: 'other_sql',
  marks: { mark: (number) => `?${number}` },
  probe: '',
  connect: async () => ({
    run: async () => ({ rows: toRows(structuredClone(rows), { records: rows.length }), changed, id: '1' }),
    release: () => undefined,
  }),
  findCode: () => undefined,
  codes: { exists: never, refused: never, clash: never, busy: never, slow: never },
  close: async () => undefined,
});

const never = /(?!)/;
