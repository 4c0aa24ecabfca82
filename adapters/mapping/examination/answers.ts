import type { Call } from '../../../src/ports/index.ts';
import { getField } from '../../../src/toolkit/records.ts';
import { addMinutes } from '../../../src/toolkit/zone.ts';
import { findKey } from '../file/keys.ts';
import { findQuestion } from '../file/questions.ts';
import type { ThingName } from '../file/things.ts';
import type { Hospital } from '../ports/hospital.ts';
import type { NoteLine, RehearsalProblem } from './rehearse.ts';
import { type Days, readDays, toWindow } from './windows.ts';

/** A question with a value of one of its records. */
interface Asked {
  readonly path: readonly string[];
  readonly names: readonly string[];
  /** True if the answer contains that record. */
  readonly isThere: boolean;
}

/** The path in the file of the column for a name: its key, or the question. */
function findPath({ file }: Hospital, thing: ThingName, question: string, name: string): readonly string[] {
  const isComposed = getField(findQuestion(file, thing, question), 'conditions') !== undefined;
  const key = isComposed ? findKey(thing, question, name) : undefined;
  const way = key === 'start' && !file[thing]?.keys?.start ? 'day' : key;
  return way ? [thing, 'keys', way] : [thing, question];
}

const listLost = (asked: readonly Asked[]): RehearsalProblem[] =>
  asked
    .filter(({ isThere }) => !isThere)
    .map(({ path, names }) => ({
      path,
      what: `does not return a record by its own ${names.map((name) => `:${name}`).join(' and ')}: does the key compare the column that the field reads?`,
    }));

/**
 * Asks each question for a value of an existing record. If the answer lacks that record, the question compares another
 * column than the field reads, or the value has another form.
 * @param days the window for the search of records.
 * @param patient the id of an existing patient.
 */
export async function compareAnswers(
  hospital: Hospital,
  { days, patient }: { readonly days: Days; readonly patient: string | undefined },
  call: Call,
  note: NoteLine,
): Promise<RehearsalProblem[]> {
  const ofPatient = patient === undefined ? [] : await askForPatient(hospital, patient, call);
  const others =
    patient === undefined
      ? []
      : [...(await findOthers(hospital, patient, call, note)), ...(await findShared(hospital, patient, call))];
  const inWindow = [
    ...(await askAgain(hospital, 'slots', days, call)),
    ...(await askAgain(hospital, 'taken', days, call)),
  ];
  return [...others, ...listLost([...ofPatient, ...inWindow])];
}

/** A text of several ids is in the list too. */
const isOneId = (value: unknown): boolean => typeof value === 'string' && !/[\s,;|]/.test(value);

/**
 * Tests that a record is returned again, by its time and by each of its owners: one of several owners, or one in the
 * middle of the window.
 */
async function askAgain(
  hospital: Hospital,
  thing: 'slots' | 'taken',
  { from, to }: Days,
  call: Call,
): Promise<Asked[]> {
  if (!hospital.has(`${thing}.between`)) return [];
  const ask = (given: object) => hospital.ask(thing, 'between', given, call);
  const all = await readDays(hospital, thing, { from, to }, (part, each) =>
    hospital.ask(thing, 'between', toWindow(`${part.from}T00:00:00`, `${part.to}T23:59:59`), each),
  );
  const within = all.filter(({ start }) => from < start && start.slice(0, 10) <= to);
  const ofSeveral = within.find((each) => [each.practitionerId ?? []].flat().filter(isOneId).length > 1);
  const record = ofSeveral ?? within.toSorted((a, b) => a.start.localeCompare(b.start))[Math.floor(within.length / 2)];
  if (!record) return [];
  const { start } = record;
  // Only the system knows whether its window selects by begin or by end.
  const isHttp = getField(findQuestion(hospital.file, thing, 'between'), 'request') !== undefined;
  const day = start.slice(0, 10);
  const window = isHttp ? toWindow(`${day}T00:00:00`, `${day}T23:59:59`) : toWindow(start, addMinutes(start, 1));
  const filters = (['practitionerId', 'serviceId', 'locationId'] as const).filter((name) =>
    hospital.uses(`${thing}.between`, name),
  );
  // A free slot may be taken meanwhile.
  const toKey = (one: object) =>
    JSON.stringify(['id', 'start', 'practitionerId', 'serviceId', 'locationId'].map((name) => getField(one, name)));
  const isSame = (one: object) => toKey(one) === toKey(record);
  const asked: Asked[] = [];
  for (const name of [undefined, ...filters]) {
    const values = [name === undefined ? '' : (getField(record, name) ?? [])].flat().filter(isOneId);
    if (values.length === 0) continue;
    const names = name === undefined ? ['from', 'to'] : [name];
    let isThere = true;
    for (const value of values)
      isThere &&= (await ask({ ...window, ...(name !== undefined && { [name]: value }) })).some(isSame);
    asked.push({ path: findPath(hospital, thing, 'between', names[0]!), names, isThere });
    if (!isThere) break;
  }
  return asked;
}

/** Tests that the patient is found by the returned document and birth date, and each record by its id. */
async function askForPatient(hospital: Hospital, patient: string, call: Call): Promise<Asked[]> {
  const asked: Asked[] = [];
  const has = (found: readonly { readonly id: string }[], id: string) => found.some((each) => each.id === id);
  const [shown] = hospital.has('patients.byId') ? await hospital.find('patients', 'byId', { id: patient }, call) : [];
  if (shown && shown.identifier.value !== '' && hospital.has('patients.byDocument')) {
    const { type: identifierType, value: identifier } = shown.identifier;
    const found = await hospital.find('patients', 'byDocument', { identifierType, identifier }, call);
    const names = ['identifier', 'identifierType'];
    asked.push({
      path: findPath(hospital, 'patients', 'byDocument', 'identifier'),
      names,
      isThere: has(found, shown.id),
    });
  }
  if (shown?.birthDate.length === 10 && hospital.has('patients.byBirthDate')) {
    const { birthDate, gender } = shown;
    const found = await hospital.find('patients', 'byBirthDate', { birthDate, gender: gender || undefined }, call);
    const path = findPath(hospital, 'patients', 'byBirthDate', 'birthDate');
    asked.push({ path, names: ['birthDate', 'gender'], isThere: has(found, shown.id) });
  }
  if (hospital.has('coverages.byId') && hospital.has('coverages.ofPatient')) {
    const [own] = await hospital.find('coverages', 'ofPatient', { patientId: patient }, call);
    const found = own ? await hospital.find('coverages', 'byId', { id: own.id }, call) : [];
    const path = findPath(hospital, 'coverages', 'byId', 'id');
    if (own) asked.push({ path, names: ['id'], isThere: has(found, own.id) });
  }
  if (hospital.has('appointments.ofPatient') && hospital.uses('appointments.ofPatient', 'appointmentId')) {
    const find = (given: object) => hospital.find('appointments', 'ofPatient', { patientId: patient, ...given }, call);
    const [own] = await find({});
    const found = own ? await find({ appointmentId: own.id }) : [];
    if (own)
      asked.push({ path: ['appointments', 'keys', 'id'], names: ['appointmentId'], isThere: has(found, own.id) });
  }
  return asked;
}

/** Records of other patients in the answer, which Puente drops. */
async function findOthers(hospital: Hospital, patientId: string, call: Call, note: NoteLine) {
  const problems: RehearsalProblem[] = [];
  for (const thing of ['coverages', 'appointments', 'relatives'] as const) {
    if (!hospital.has(`${thing}.ofPatient`)) continue;
    const all = await hospital.ask(thing, 'ofPatient', { patientId }, call);
    const own = await hospital.find(thing, 'ofPatient', { patientId }, call);
    const others = all.length - own.length;
    if (others === 0) continue;
    const what = `${others} of ${all.length} records that answer :patientId belong to another patient, and are dropped`;
    if (own.length > 0) note(`${thing}.ofPatient: ${what}`);
    else
      problems.push({
        path: findPath(hospital, thing, 'ofPatient', 'patientId'),
        what: `${what}: does the key compare the column that patientId reads?`,
      });
  }
  return problems;
}

/** Appointments that are returned both for a patient and for a relative. */
async function findShared(hospital: Hospital, patientId: string, call: Call): Promise<RehearsalProblem[]> {
  if (!hospital.has('appointments.ofPatient') || !hospital.has('relatives.ofPatient')) return [];
  const list = async (id: string) => {
    const found = await hospital.find('appointments', 'ofPatient', { patientId: id }, call);
    return new Set(found.map((each) => each.id));
  };
  const own = await list(patientId);
  const relatives = await hospital.find('relatives', 'ofPatient', { patientId }, call);
  let count = 0;
  for (const id of new Set(relatives.map(({ relatedPatientId }) => relatedPatientId)))
    if (id !== patientId) count += own.intersection(await list(id)).size;
  if (count === 0) return [];
  const what = `returns ${count} appointments both for a patient and for a relative: does the key compare the patient of the appointment?`;
  return [{ path: findPath(hospital, 'appointments', 'ofPatient', 'patientId'), what }];
}
