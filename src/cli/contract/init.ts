import { existsSync, readFileSync } from 'node:fs';
import type { RecordKind } from '../../contract/fixtures.ts';
import { cases, type FixtureName, type PartialFixtures, portCases, type Subject } from '../../contract/index.ts';
import { listAppointmentsA, recordKinds } from '../../contract/queries.ts';
import { capabilities } from '../../ports/index.ts';
import { commandLine } from '../../toolkit/package.ts';
import { replacePrivately } from '../../toolkit/private-file.ts';
import { addFixtures, formatMap, listUsed, readKeys, readMap } from './map.ts';
import { CannotRun, type CommandContext } from './options.ts';
import { findTarget, type InstitutionOptions, toFixtures } from './target.ts';

export interface InitOptions extends InstitutionOptions {
  readonly out: string;
  readonly force?: true;
}

/**
 * Writes a fixture map of an institution to fill in. An existing map gets the missing fixtures.
 * @returns the exit code.
 * @throws CannotRun or ConfigProblems if the institution cannot be reached, or the file cannot be read or written.
 */
export async function initMap(options: InitOptions, context: CommandContext): Promise<number> {
  const { out, force = false } = options;
  const present = !force && existsSync(out) ? readKeys(out, '--out') : undefined;
  const target = await findTarget(options, context);
  const { supports, institution } = target;
  const offered = supports ?? new Set(capabilities);
  const known = new Map<string, unknown>(Object.entries(institution));
  try {
    // The map takes precedence for the patients.
    const fixtures = present && toFixtures(readMap(out, '--out'), target);
    const subject = fixtures && (await target.start({ level: 'safe' }, fixtures, offered));
    for (const [name, records] of subject ? await draftRecords(subject, fixtures) : []) known.set(name, records);
  } finally {
    await target.close();
  }
  const used = listUsed(offered, [...cases, ...portCases]).filter(
    (name) => !name.startsWith('records.') || known.has(name),
  );
  if (present) {
    const { text, added, left } = addFixtures(readFileSync(out, 'utf8'), present, used, known);
    write(out, text);
    context.print(
      [
        ...(added.length > 0 ? [`added to ${out}, marked TODO if they need a value: ${added.join(', ')}`] : []),
        ...(left.length > 0
          ? [`Add these yourself, because their sections are in braces, in quotes or indented: ${left.join(', ')}`]
          : []),
        ...(added.length + left.length === 0 ? [`${out} already has all fixtures`] : []),
      ].join('\n'),
    );
  } else {
    write(out, formatMap({ known, offered: supports }, used));
    context.print(`wrote ${out}: fill in the ${used.length} fixtures at the marks TODO`);
  }
  context.print(describeNext(options));
  return 0;
}

/** The file will have ids and identities of patients, so only its owner may read it. */
function write(file: string, text: string): void {
  try {
    replacePrivately(file, text);
  } catch (error) {
    throw new CannotRun(`${file} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}

function describeNext({ out, url, config, adapter }: InitOptions): string {
  const [option, value] = Object.entries({ url, config, adapter }).find(([, given]) => given !== undefined) ?? [];
  const institution = option === undefined ? '' : ` --${option} ${value}`;
  return [
    '',
    'With its values the map identifies patients: protect it like their records. Then run this command again for a draft of some records.',
    `Next: ${commandLine} contract${institution} --map ${out}`,
    '',
  ].join('\n');
}

interface Wanted {
  readonly id: string | undefined;
  readonly patient_id?: string | undefined;
}

/**
 * Reads the institution's current records for a map, by fixture. A person has to confirm them. Records that the
 * institution does not offer, or fails to return, are left out.
 */
export async function draftRecords(subject: Subject, fixtures: PartialFixtures): Promise<Map<FixtureName, unknown>> {
  const { patients = {}, practitioners = {}, services = {}, coverages = {} } = fixtures;
  const owners = [patients.complete, patients.payer].filter((id) => id !== undefined);
  const ofComplete = (id: string | undefined): Wanted => ({ id, patient_id: patients.complete ?? '' });
  const wanted: Readonly<Record<RecordKind, () => readonly Wanted[] | Promise<readonly Wanted[]>>> = {
    patients: () => [patients.complete, patients.passportHolder, patients.child].map((id) => ({ id })),
    practitioners: () => [practitioners.bookable, practitioners.second].map((id) => ({ id })),
    services: () => [services.bookable, services.virtual].map((id) => ({ id })),
    appointments: async () => (await Promise.all(owners.map((id) => pickAppointments(subject, id)))).flat(),
    places: async () => (owners.length === 0 ? [] : (await recordKinds.places.list(subject)).slice(0, 2)),
    coverages: () => [ofComplete(coverages.active), ofComplete(coverages.inactive)],
  };
  const drafted = new Map<FixtureName, unknown>();
  for (const kind of Object.keys(recordKinds) as RecordKind[]) {
    if (!subject.supports(recordKinds[kind].needs)) continue;
    try {
      const records = await Promise.all((await wanted[kind]()).map((each) => draft(subject, kind, each)));
      if (records.flat().length > 0) drafted.set(`records.${kind}`, records.flat());
    } catch {
      // The contract itself reports this fault.
    }
  }
  return drafted;
}

async function draft(subject: Subject, kind: RecordKind, { id, ...owner }: Wanted): Promise<object[]> {
  if (id === undefined) return [];
  const { list, fields } = recordKinds[kind];
  const found = (await list(subject, { id, patient_id: owner.patient_id })).find(
    (each) => Reflect.get(each, 'id') === id,
  );
  const said = fields.split(' ').map((name) => [name, Reflect.get(Object(found), name)] as const);
  return found ? [{ ...owner, id, ...Object.fromEntries(said.filter(([, value]) => value !== undefined)) }] : [];
}

/**
 * Selects past appointments, because they no longer change: the first one, and the first paid, canceled and virtual
 * ones.
 */
async function pickAppointments(subject: Subject, patient_id: string): Promise<Wanted[]> {
  const today = subject.now().toISOString().slice(0, 10);
  const past = (await listAppointmentsA(subject, patient_id)).filter(({ date }) => date < today);
  const isPaid = ({ payments }: (typeof past)[number]) => payments.status !== undefined;
  const isCanceled = ({ status }: (typeof past)[number]) => status === 'canceled';
  const isVirtual = ({ modality }: (typeof past)[number]) => modality === 'virtual';
  const picked = [past[0], ...[isPaid, isCanceled, isVirtual].map((is) => past.find(is))];
  return [...new Set(picked.flatMap((each) => each?.id ?? []))].map((id) => ({ id, patient_id }));
}
