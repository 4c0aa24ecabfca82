import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { styleText } from 'node:util';
import { Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { isObject } from '../../src/http-client/answer-size.ts';
import { Failure, type Instant, type LocalDateTime, weekdays } from '../../src/ports/index.ts';
import { packageRoot } from '../../src/toolkit/package.ts';
import { toPlainText } from '../../src/toolkit/plain-text.ts';
import { ConfigProblems, SettingsProblem } from '../../src/toolkit/problems.ts';
import { addDays, getWeekday, Zone } from '../../src/toolkit/zone.ts';
import type { CommandConfig, Program } from '../command.ts';
import { formatSlotId, listSlotStarts, type WeeklySchedule } from '../common/schedules.ts';
import { connect, type FhirClient } from './rest/client.ts';
import { formatToken } from './rest/query.ts';
import type { TransactionEntry } from './rest/transaction-entries.ts';
import type { ServerCall } from './rest/transport.ts';
import type { FhirIdentifier } from './schema/datatypes.ts';
import { type NewResource, type ResourceType, resources } from './schema/resources.ts';
import { Codes } from './schema/terminology.ts';
import { type Settings, settings as schema } from './settings.ts';

interface SeedArguments {
  readonly config?: string;
  readonly bundle?: string;
  readonly days: number;
  readonly wait: number;
}

/** The time limit of one transaction in milliseconds: a server that has just started is slow. */
const TIMEOUT = 60_000;

export const createSeedCommand = (program: Program): Command =>
  new Command('seed-fhir')
    .description('Create the sandbox hospital in the FHIR server of the configuration, except for existing resources.')
    .addOption(program.configOption())
    .option('--bundle <file>', 'another hospital, in the format of examples/fhir-sandbox/hospital.json')
    .option('--days <number>', 'number of days ahead for which slots are published', parseWholeNumber, 60)
    .option('--wait <seconds>', 'how long to wait for the server to start', parseWholeNumber, 0)
    .addHelpText(
      'after',
      `
Resources of an earlier run stay unchanged: a run after a failure continues, and a daily run adds the slots of
the new days. Exit codes: 0 everything exists, 1 something is missing, and the last line has the reason and what to do,
78 only another configuration helps.`,
    )
    .action((options: SeedArguments) => run(options, program));

async function run({ config: file, bundle, days, wait }: SeedArguments, program: Program): Promise<void> {
  const config = await program.readConfig(file);
  const settings = findSettings(config);
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort());
  let step: string | undefined;
  const progress = (type: string, count: number): void => {
    step = type;
    process.stderr.write(`${type}: ${count}\n`);
  };
  try {
    const { timeZone } = config.institution;
    const now = new Date().toISOString();
    const { signal } = interrupt;
    const { created, existing, skipped } = await seed(settings, {
      ...{ bundle: readBundle(bundle), timeZone, days, wait, now, signal, progress },
    });
    const suffix = skipped === 0 ? '' : `, ${skipped} appointments skipped because their slots are taken`;
    process.stdout.write(`${styleText('green', 'ok')}  ${created} created, ${existing} already there${suffix}\n`);
  } catch (error) {
    if (!(error instanceof Failure) && !(error instanceof SettingsProblem) && !interrupt.signal.aborted) throw error;
    const why = interrupt.signal.aborted ? `interrupted. ${fixes.again}` : formatReason(error);
    process.stderr.write(
      `${styleText('red', 'failed')}${step === undefined ? '' : ` at ${step}`}: ${toPlainText(why)}\n`,
    );
    process.exitCode = 1;
  }
}

/** @throws ConfigProblems when the configuration has no adapter `fhir`. */
function findSettings({ adapters, problem }: CommandConfig): Settings {
  const found = adapters.find(({ name }) => name === 'fhir');
  if (!found) throw new ConfigProblems([problem(['adapter', 'name'], 'names no adapter fhir: set it to fhir')]);
  const settings = schema.parse(found.settings);
  return { ...settings, timeout: Math.max(settings.timeout, TIMEOUT) };
}

function parseWholeNumber(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new InvalidArgumentError('It must be a whole number up to 999.');
  return Number(text);
}

/** The reason of a failure and its fix, without the server's own texts. */
function formatReason(error: unknown): string {
  if (error instanceof SettingsProblem) return error.problems.join('; ');
  if (!(error instanceof Failure)) return 'unknown';
  const { code } = (error.cause ?? {}) as { code?: unknown };
  const detail = typeof code === 'string' ? ` (${code})` : '';
  const fix = fixes[error.code ?? ''] ?? fixes[error.kind];
  return `${error.message}${detail}. ${fix ?? fixes.again}`;
}

const fixes: Readonly<Record<string, string>> = {
  backend_auth: 'Check auth.',
  forbidden: 'Let the client create and find resources of every type.',
  unavailable: 'Check baseUrl and that the server runs; --wait gives it time to start.',
  bad_answer: 'Check that baseUrl is the FHIR base URL itself, e.g. http://localhost:8081/fhir.',
  unsupported: 'Choose the base URL of an R4 server.',
  invalid: "Check the server's log for the violated rule, and turn off profiles that the sandbox does not follow.",
  again: 'Run it again: it continues where it stopped.',
};

/** A Binary has no identifier for the next seeding. */
const types = (Object.keys(resources) as ResourceType[]).filter((type) => type !== 'Binary');
const bundleSchema = z.object({
  entry: z.array(z.object({ resource: z.looseObject({ resourceType: z.enum(types), id: z.string() }) })),
});

/** A FHIR bundle as in examples/fhir-sandbox/README.md. */
export type SandboxBundle = z.output<typeof bundleSchema>;
type ResourceTemplate = SandboxBundle['entry'][number]['resource'];

/** @throws SettingsProblem when the file cannot be used. */
export function readBundle(file = join(packageRoot, 'examples/fhir-sandbox/hospital.json')): SandboxBundle {
  try {
    return bundleSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new SettingsProblem('bundle', [`${file} is not a file with a bundle of resources that have ids`]);
  }
}

export interface SeedOptions {
  readonly bundle: SandboxBundle;
  /** The IANA name of the institution's zone. */
  readonly timeZone: string;
  readonly now: Instant;
  readonly days: number;
  /** Seconds to wait for the server's first answer. Absent: none. */
  readonly wait?: number;
  readonly signal: AbortSignal;
  /** Called at the start of each type, with the number of its resources. */
  readonly progress?: (type: string, count: number) => void;
}

export interface SeedResult {
  readonly created: number;
  readonly existing: number;
  /** The number of appointments that were not created because their slots are taken. */
  readonly skipped: number;
  /** The server's id of a resource, by its type and its id in the bundle. */
  getId(type: ResourceType, id: string): string;
}

/**
 * Creates the resources of the bundle in the FHIR server. Resources of an earlier seeding stay unchanged; it finds them
 * by the identifier `{namespace}/sid/seed|{type}-{id}`.
 * @throws Failure of the server. The created resources stay, and another seeding continues from there.
 * @throws SettingsProblem when the settings or the bundle cannot be used.
 */
export async function seed(settings: Settings, options: SeedOptions): Promise<SeedResult> {
  const { bundle, now, days, wait = 0, progress = () => {} } = options;
  const { client } = await connect(settings);
  const caller = { signal: options.signal, requestId: `seed-${randomUUID()}` };
  await waitForServer(client, wait, caller);
  const calendar = new Calendar(new Zone(options.timeZone), now);
  const uploader = new Uploader(client, settings, caller);
  const { Slot = [], Appointment = [], ...others } = Object.groupBy(bundle.entry, (each) => each.resource.resourceType);
  const counts = { created: 0, existing: 0, skipped: 0 };
  const upload = async (type: ResourceType, all: readonly BundleRow[]) => {
    progress(type, all.length);
    const { existing, missing } = await uploader.upload(all);
    counts.existing += existing;
    counts.created += all.length - existing - missing;
    counts.skipped += missing;
  };

  for (const [type, all] of Object.entries(others)) {
    await upload(
      type as ResourceType,
      all.map(({ resource }) => calendar.place(resource)!),
    );
  }
  const hours = Slot.map(({ resource }) => toHours(resource));
  const appointments = Appointment.flatMap(({ resource }) => calendar.placeAppointment(resource, hours, now) ?? []);
  await uploader.find(appointments);
  const taken = uploader.listMissing(appointments).flatMap(({ slot }) => slot ?? []);
  const slots = [...calendar.listSlots(hours, days), ...taken];
  await upload('Slot', [...new Map(slots.map((slot) => [slot.name, slot])).values()]);
  await upload('Appointment', appointments);
  return { ...counts, getId: (type, id) => uploader.getId(`${type}/${id}`) };
}

/** A resource with its times. Its references still name others of the bundle. */
interface BundleRow {
  /** `Patient/ana`: unique in the bundle. */
  readonly name: string;
  readonly resource: ResourceTemplate;
  /** The slot of an appointment. Undefined if it was canceled. */
  readonly slot?: BundleRow | undefined;
}

/** The slots of a week: their common elements and their times. */
interface Hours extends WeeklySchedule {
  readonly slot: ResourceTemplate;
}

/** Parses `{MONDAY,FRIDAY 09:00-12:00/20}`: on these days every 20 minutes. */
function toHours(slot: ResourceTemplate): Hours {
  const [, names = '', from = '', to = '', minutes] =
    /^\{([A-Z,]+) (\d\d:\d\d)-(\d\d:\d\d)\/(\d+)\}$/.exec(String(slot.start)) ?? [];
  const days = weekdays.filter((day) => names.split(',').includes(day));
  if (days.length === 0)
    throw new SettingsProblem('bundle', [`the start of Slot/${slot.id} must be {DAYS hh:mm-hh:mm/MINUTES}`]);
  return { id: slot.id, days, from, to, minutes: Number(minutes), slot };
}

/** Converts the times of the bundle, relative to today. */
class Calendar {
  readonly #zone: Zone;
  readonly #days: { readonly today: string; readonly monday: string };

  constructor(zone: Zone, now: Instant) {
    this.#zone = zone;
    const today = zone.toLocalDay(now);
    this.#days = { today, monday: addDays(today, -getWeekday(today)) };
  }

  /** Undefined if a clock change skips a time that counts from Monday. Other times become the beginning of the day. */
  place(template: ResourceTemplate): BundleRow | undefined {
    let isSkipped = false;
    const text = JSON.stringify(template).replaceAll(
      /\{(today|monday)([+-]\d+) (\d\d:\d\d)\}/g,
      (_, from: 'today' | 'monday', days: string, time: string) => {
        const day = addDays(this.#days[from], Number(days));
        const epoch = this.#zone.toEpoch(`${day}T${time}:00`);
        isSkipped ||= epoch === undefined && from === 'monday';
        return epoch === undefined ? this.#zone.toStartOfDay(day) : new Date(epoch).toISOString();
      },
    );
    return isSkipped
      ? undefined
      : { name: `${template.resourceType}/${template.id}`, resource: JSON.parse(text) as BundleRow['resource'] };
  }

  placeAppointment(template: ResourceTemplate, hours: readonly Hours[], now: Instant): BundleRow | undefined {
    const row = this.place(template);
    if (!row) return undefined;
    const { status, slot: slots, ...resource } = row.resource as ResourceTemplate & { slot?: [{ reference: string }] };
    const start = String(resource.start);
    const ofSlot = hours.find(({ id }) => slots?.[0].reference === `Slot/${id}`);
    if (slots && !ofSlot) throw new SettingsProblem('bundle', ['an Appointment refers to a missing Slot']);
    const slot = ofSlot && this.#createSlot(ofSlot, this.#zone.toLocalTime(start));
    const times = { start, end: addMinutes(start, Number(resource.minutesDuration)) };
    const isOver = status === 'booked' && start < now;
    const taken = slot && { slot: [{ reference: slot.name }] };
    return { ...row, slot, resource: { ...resource, ...times, ...taken, status: isOver ? 'fulfilled' : status } };
  }

  listSlots(hours: readonly Hours[], days: number): BundleRow[] {
    return Array.from({ length: days + 1 }, (_, ahead) => addDays(this.#days.today, ahead)).flatMap((day) =>
      hours.flatMap((each) => listSlotStarts(each, day).flatMap((start) => this.#createSlot(each, start) ?? [])),
    );
  }

  /** Undefined if a clock change skips the slot. */
  #createSlot(hours: Hours, local: LocalDateTime): BundleRow | undefined {
    const epoch = this.#zone.toEpoch(local);
    if (epoch === undefined) return undefined;
    const start = new Date(epoch).toISOString();
    const resource = { ...hours.slot, start, end: addMinutes(start, hours.minutes) };
    return { name: `Slot/${formatSlotId(hours, local)}`, resource };
  }
}

const addMinutes = (start: Instant, minutes: number): Instant =>
  new Date(Date.parse(start) + minutes * 60_000).toISOString();

/**
 * The number of entries in one transaction, and of ids in one search: Medplum accepts 50. An appointment may need two
 * entries.
 */
const MAX_ENTRIES = 50;

/** Creates the missing resources by transactions. */
class Uploader {
  readonly #client: FhirClient;
  readonly #namespace: string;
  readonly #system: string;
  readonly #caller: ServerCall;
  /** The server's ids by the names of the bundle. */
  readonly #ids = new Map<string, string>();

  constructor(client: FhirClient, settings: Settings, caller: ServerCall) {
    this.#client = client;
    this.#namespace = settings.namespace;
    this.#system = new Codes(settings).sid('seed');
    this.#caller = caller;
  }

  /** @throws SettingsProblem when the server does not have the resource. */
  getId(name: string): string {
    const id = this.#ids.get(name);
    if (id !== undefined) return id;
    throw new SettingsProblem('bundle', [`a reference to ${name.split('/')[0]} has no earlier target`]);
  }

  listMissing(rows: readonly BundleRow[]): BundleRow[] {
    return rows.filter(({ name }) => !this.#ids.has(name));
  }

  /** Looks for these resources on the server. */
  async find(rows: readonly BundleRow[]): Promise<void> {
    for (const batch of split(rows)) await this.#fetch(batch);
  }

  /** Creates the missing resources. Returns as `missing` the appointments whose slots are no longer free. */
  async upload(rows: readonly BundleRow[]) {
    await this.find(rows);
    const missing = this.listMissing(rows);
    for (const batch of split(missing)) await this.#create(batch);
    return { existing: rows.length - missing.length, missing: this.listMissing(rows).length };
  }

  async #fetch([first, ...others]: readonly BundleRow[]): Promise<void> {
    if (!first) return;
    const names = new Map([first, ...others].map(({ name }) => [toSeedIdentifier(name), name]));
    const identifier = [...names.keys()].map((value) => formatToken(this.#system, value)).join(',');
    const query = { identifier, _count: String(MAX_ENTRIES) };
    const { matches } = await this.#client.search(first.resource.resourceType, query, this.#caller, { post: true });
    for (const resource of matches) {
      const identifiers = [(resource as { identifier?: unknown }).identifier].flat().filter(isObject);
      const name = names.get(String(identifiers.find(({ system }) => system === this.#system)?.value));
      if (name !== undefined) this.#ids.set(name, resource.id);
    }
  }

  /** Creates the rows, and makes their slots busy in the same transaction. Skips rows whose slot is not free. */
  async #create(rows: readonly BundleRow[]): Promise<void> {
    const slotIds = rows.flatMap(({ slot }) => (slot ? this.getId(slot.name) : []));
    const { matches } = await this.#client.readMany('Slot', slotIds, this.#caller);
    const free = matches.filter(({ status }) => status === 'free');
    const findFree = ({ name }: BundleRow) => free.filter(({ id }) => id === this.getId(name));
    const possible = rows.filter(({ slot }) => !slot || findFree(slot).length > 0);
    if (possible.length === 0) return;
    const entries = [
      ...possible.map((row): TransactionEntry => ({ create: this.#toDraft(row) })),
      ...possible
        .flatMap(({ slot }) => (slot ? findFree(slot) : []))
        .map((slot): TransactionEntry => ({ resource: slot, changes: { status: 'busy' } })),
    ];
    const results = await this.#client.transaction(entries, this.#caller);
    for (const [index, { name, resource }] of possible.entries()) {
      const { type, id } = results[index] ?? {};
      if (type === resource.resourceType && id !== undefined) this.#ids.set(name, id);
    }
    await this.#fetch(this.listMissing(possible));
  }

  /** The resource in the form for the server: with the server's ids, and the identifier that finds it again. */
  #toDraft({ name, resource: { id: _, ...resource } }: BundleRow): NewResource {
    const text = JSON.stringify(resource)
      .replaceAll('{NS}', this.#namespace)
      .replaceAll(/\{([A-Z]\w+\/[\w.-]+)\}/g, (_, other: string) => this.getId(other))
      .replaceAll(/"reference":"(\w+)\/([\w.-]+)"/g, (_, type: string, id: string) => {
        return `"reference":"${type}/${this.getId(`${type}/${id}`)}"`;
      });
    const { identifier = [], ...filled } = JSON.parse(text) as NewResource & {
      readonly identifier?: readonly FhirIdentifier[];
    };
    const own = { use: 'secondary', system: this.#system, value: toSeedIdentifier(name) };
    const isAlone = resource.resourceType === 'QuestionnaireResponse';
    return { ...filled, identifier: isAlone ? own : [...identifier, own] } as NewResource;
  }
}

function split(rows: readonly BundleRow[]): BundleRow[][] {
  const size = rows.some(({ slot }) => slot) ? MAX_ENTRIES / 2 : MAX_ENTRIES;
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, i) => rows.slice(i * size, (i + 1) * size));
}

const toSeedIdentifier = (name: string): string => name.replace('/', '-');

/**
 * Waits for the server's answer, for at most this number of seconds.
 * @throws Failure of the last attempt; unsupported when the server has another FHIR version than R4 (4.0).
 */
async function waitForServer(client: FhirClient, seconds: number, caller: ServerCall): Promise<void> {
  const until = performance.now() + seconds * 1000;
  for (;;) {
    try {
      const { fhirVersion } = await client.metadata(caller);
      if (String(fhirVersion).startsWith('4.0')) return;
      throw new Failure('unsupported', 'the server does not support FHIR R4 (4.0)');
    } catch (error) {
      // A starting server may refuse connections, or answer 404 or HTML.
      const isFinal = !(error instanceof Failure) || error.kind === 'unsupported' || performance.now() > until;
      if (isFinal) throw error;
      await sleep(1_000, undefined, { signal: caller.signal });
    }
  }
}
