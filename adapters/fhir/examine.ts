import { randomUUID } from 'node:crypto';
import { examineConnection } from '../../src/http-client/examine.ts';
import { isTooLate } from '../../src/http-client/failures.ts';
import { explainLoginFailure, LoginFailure } from '../../src/http-client/login-failure.ts';
import { type Call, type Examination, type Finding, type Readiness, splitCapability } from '../../src/ports/index.ts';
import { examineClock } from '../../src/toolkit/clocks.ts';
import { ignoreFailure } from '../../src/toolkit/failures.ts';
import type { Zone } from '../../src/toolkit/zone.ts';
import { findFlaw, findHolder } from '../common/bookable.ts';
import { access, type TypeAccess } from './access.ts';
import { listIds, readScheduleIndex, type ScheduleIndex } from './appointments/schedules.ts';
import { computeBookingHorizon, listSlots, readSlotFacts, withAppointments } from './appointments/slot-facts.ts';
import { countSlots, MAX_ROWS } from './appointments/slots.ts';
import { getServiceCode, isAvailable, readLimits } from './care-services/read.ts';
import type { FhirContext } from './context.ts';
import {
  type CapabilityStatement,
  describeFailure,
  describeRefusal,
  examineDeclaredWrites,
  examineRights,
  examineVersion,
} from './examine-access.ts';
import { examineBehavior } from './examine-behavior.ts';
import { listEndlessMergers } from './patients/person.ts';
import { type Document, isSearchable, readDocuments } from './patients/read.ts';
import { formatPractitionerName } from './practitioners/read.ts';
import { findCrowding } from './readiness.ts';
import type { ServerConnection } from './rest/client.ts';
import { parseJson } from './rest/decode.ts';
import type { ServerCall } from './rest/transport.ts';
import { findIdentifierValue, parseReferenceId } from './schema/datatypes.ts';
import { createIsInForce } from './schema/read.ts';
import type { Resource } from './schema/resources.ts';

/** Examines the connection to the FHIR server and the access rights, by reads and by creates that must fail. */
export function createExamine(context: FhirContext, connection: ServerConnection): NonNullable<Readiness['examine']> {
  return async function* ({ signal, uses }) {
    const call: ServerCall = { signal, requestId: 'doctor' };
    for (const stage of listStages(context, connection, uses, call)) {
      for await (const finding of stage()) {
        yield finding;
        if (finding.stops) return;
      }
    }
  };
}

/** The stages in order: connection, access rights, behavior, data. */
function listStages(
  context: FhirContext,
  connection: ServerConnection,
  uses: Examination['uses'],
  call: ServerCall,
): readonly (() => AsyncIterable<Finding>)[] {
  const { settings } = context;
  const { transport, tls } = connection;
  const address = { url: settings.baseUrl, setting: 'baseUrl', tls, timeoutMs: settings.timeout };
  const access = { transport, auth: settings.auth };
  const stages: (() => AsyncIterable<Finding>)[] = [
    () => examineConnection(address),
    () => examineLogin(settings, connection, call.signal),
    () => examineStatement(settings, connection, uses, call),
    () => examineRights(listNeeded(settings, uses), access, call),
    () => examinePages(context, call),
    () => examineBehavior(context, transport, uses, call),
    () => examineSizes(context, call),
  ];
  if (uses.has('appointments.slots'))
    stages.push(
      () => examineData(context, 'catalogue', examineCatalogue, call),
      () => examineData(context, 'free slots', examineFreeSlots, call),
    );
  if (uses.has('patients.search') || uses.has('patients.register'))
    stages.push(() => examineData(context, 'documents', examinePatients, call));
  return stages;
}

/** The resource types that these capabilities need. */
function listNeeded({ transactions }: FhirContext['settings'], uses: Examination['uses']): TypeAccess[] {
  const ports = new Set([...uses].map((capability) => splitCapability(capability)[0]));
  const isProbed = transactions === 'probe';
  return access.filter((each) => each.ports.some((port) => ports.has(port)) && (isProbed || each.type !== 'Basic'));
}

async function* examineLogin(
  { auth, baseUrl, timeout }: FhirContext['settings'],
  { credentials, tls }: ServerConnection,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  if (!('tokenUrl' in auth)) return;
  // Through a proxy, only a failed login reveals problems of the connection.
  if (auth.proxy === undefined && new URL(auth.tokenUrl).origin !== new URL(baseUrl).origin) {
    const address = { url: auth.tokenUrl, setting: 'auth.tokenUrl', tls: { ca: tls.ca }, timeoutMs: timeout };
    for await (const finding of examineConnection(address)) {
      yield { ...finding, check: `login: ${finding.check}` };
      if (finding.stops) return;
    }
  }
  const check = 'login';
  try {
    await credentials.header(signal);
    yield { check, ok: true, detail: 'auth.tokenUrl returns a token' };
  } catch (error) {
    const why = error instanceof LoginFailure ? explainLoginFailure(error) : describeFailure(error);
    yield { check, ok: false, ...why, stops: true };
  }
}

/** The server's CapabilityStatement (FHIR R4). */
async function* examineStatement(
  settings: FhirContext['settings'],
  { transport }: ServerConnection,
  uses: Examination['uses'],
  call: ServerCall,
): AsyncGenerator<Finding> {
  const check = 'FHIR end point';
  let statement: CapabilityStatement;
  const headers = { 'Cache-Control': 'no-cache' };
  const sentAt = Date.now();
  try {
    const reply = await transport.send({ method: 'GET', path: '/metadata', headers, write: false }, call);
    const refusal = describeRefusal(reply, settings.auth);
    if (refusal) {
      yield { check, ...refusal, detail: `/metadata: ${refusal.detail}`, stops: true };
      return;
    }
    const receivedAt = Date.now();
    statement = parseJson(reply);
    if (statement.resourceType !== 'CapabilityStatement') {
      const fix = 'set baseUrl to the FHIR endpoint';
      yield { check, ok: false, detail: '/metadata: the answer is not a CapabilityStatement', fix, stops: true };
      return;
    }
    yield { check, ok: true, detail: `/metadata answers in ${receivedAt - sentAt} ms` };
    yield examineVersion(statement);
    yield examineClock({ headers: reply.headers, sentAt, receivedAt });
  } catch (error) {
    const failure = describeFailure(error, settings.baseUrl.startsWith('https:'));
    // Some servers need minutes to create it, and answer other requests.
    const stops = !isTooLate(error) && { stops: true as const };
    yield { check, ...failure, detail: `/metadata: ${failure.detail}`, ...stops };
    return;
  }
  const isTrusted = settings.transactions === 'trust';
  yield* examineDeclaredWrites(statement, listNeeded(settings, uses), isTrusted);
}

/** Requests the largest pages of the ports, with criteria that nothing meets. */
async function* examinePages({ client }: FhirContext, call: ServerCall): AsyncGenerator<Finding> {
  await client.search('Location', { _id: randomUUID(), _count: '500' }, call).catch(ignoreFailure);
  const sized = client.ladder.list().find(({ part }) => part === '_count');
  if (!sized) return;
  const detail = `the server refuses pages of more than ${sized.most} matches, or slightly more, so that lists take more requests`;
  yield { check: 'pages', ok: null, detail, fix: 'configure it to accept a _count of 500' };
}

/** Checks whether the catalog fits into the limits of a search. */
async function* examineSizes({ catalogue, settings }: FhirContext, call: ServerCall): AsyncGenerator<Finding> {
  const check = 'size of the catalogue';
  const sizes = await catalogue.measure(call);
  const crowding = findCrowding(sizes, settings.limits);
  for (const { isOver, detail, fix } of crowding) yield { check, ok: isOver ? false : null, detail, fix };
  if (crowding.length > 0) return;
  yield sizes.length > 0
    ? { check, ok: true, detail: 'every part of it can be read completely' }
    : { check, ok: null, detail: 'the server does not count it' };
}

/** Checks existing data. A failed check is a finding too. */
async function* examineData(
  context: FhirContext,
  check: string,
  examine: typeof examinePatients,
  { signal, requestId }: ServerCall,
): AsyncGenerator<Finding> {
  try {
    yield* examine(context, {
      ...{ signal, requestId, client: 'doctor', now: new Date().toISOString() },
      omit: () => undefined,
    });
  } catch (error) {
    yield { check, ...describeFailure(error) };
  }
}

/** The future free slots: their times, and the slots that cannot be offered, by reason. A slot names no patient. */
async function* examineFreeSlots(context: FhirContext, call: Call): AsyncGenerator<Finding> {
  const check = 'free slots';
  const { matches } = await context.catalogue.services.get(call);
  const services = matches.filter((service) => isAvailable(service, context));
  const index = await readScheduleIndex(context, call);
  const explain = createExplanation(context, index, services);
  const free = { status: 'free', start: [`ge${call.now}`, `lt${computeBookingHorizon(context, call)}`] };
  const query = { ...free, ...withAppointments, _sort: 'start', _count: '500' };
  const options = { enough: MAX_ROWS, entries: MAX_ROWS, pages: MAX_ROWS, lenient: true } as const;
  const found = await context.client.search('Slot', query, call, options);
  const starts = found.matches.map(({ start }) => start);
  yield examineOffsets(starts, context.zone);
  for (const service of found.more ? services : []) {
    const ids = listIds(index.findByService(service));
    const count = (await countSlots(context, ids, free, call).catch(ignoreFailure)) ?? 0;
    if (count <= MAX_ROWS) continue;
    const detail = `HealthcareService/${service.id} has ${count} future free slots, but a list without pages omits all after the first ${MAX_ROWS}`;
    yield { check, ok: false, detail, fix: 'publish fewer slots, or shorten institution.bookingHorizonDays' };
  }
  const unreadable = found.unreadable.filter(({ type }) => type === 'Slot');
  const total = starts.length + unreadable.length;
  const looked = found.more ? `the first ${total}` : String(total);
  const odd = [
    ...listSlots(found).map((slot) => ({ slot, why: explain(slot) })),
    ...unreadable.map(({ element }) => ({ slot: undefined, why: `their ${element} does not conform to FHIR` })),
  ];
  for (const [why, same] of Map.groupBy(odd, (each) => each.why)) {
    if (why === undefined) continue;
    const named = nameSome([...new Set(same.flatMap(({ slot }) => slot?.schedule.reference ?? []))]);
    yield {
      check,
      ok: null,
      detail: `${same.length} of ${looked} future free slots cannot be offered: ${why}${named && ` (${named})`}`,
      fix: 'correct the schedule or the slots, if patients should get them (docs/reference/fhir/set-up.md, 7)',
    };
  }
  if (odd.every(({ why }) => why === undefined)) {
    yield total > 0
      ? { check, ok: true, detail: `each of ${looked} future free slots can be offered` }
      : { check, ok: null, detail: 'there is no future free slot' };
  }
}

function createExplanation(
  context: FhirContext,
  index: ScheduleIndex,
  services: readonly Resource<'HealthcareService'>[],
) {
  const offered = services.flatMap((service) =>
    index.findByService(service).map((schedule) => ({ id: schedule.id, schedule, service })),
  );
  const servicesOf = Map.groupBy(offered, ({ id }) => id);
  return (slot: Resource<'Slot'>): string | undefined => {
    const id = parseReferenceId(slot.schedule, 'Schedule') ?? '';
    const own = servicesOf.get(id);
    if (!own) return index.explain(id, services);
    if (!own.some(({ schedule }) => schedule.isStaffed(slot.start, slot.start)))
      return 'no role of the practitioner covers the time of the slot';
    const serviceCodes = own.map(({ service }) => getServiceCode(service, context.codes.system('hcs')) ?? '');
    const facts = readSlotFacts(slot, context, serviceCodes);
    const obstacle = findHolder(facts) ?? findFlaw(facts);
    return obstacle && obstacles[obstacle];
  };
}

/** The reasons why a slot with the status `free` cannot be booked. */
const obstacles: Readonly<Record<NonNullable<ReturnType<typeof findHolder | typeof findFlaw>>, string>> = {
  overbooked: 'they are overbooked',
  appointment: 'a booked appointment names them',
  'unplanned-visits': 'they are reserved for emergencies or walk-in patients',
  mistake: 'they were entered in error',
  'too-short': 'they last less than a minute',
  'repeated-time': 'their local time occurs for the second time, after the clocks go back',
  'other-service': 'their schedule does not have their service, or it is not offered',
};

const NAMED = 3;

const nameSome = (names: readonly string[]): string =>
  names.slice(0, NAMED).join(', ') + (names.length > NAMED ? `, and ${names.length - NAMED} more` : '');

/**
 * Checks whether the times of free slots are in UTC or have the zone's offset. Any other offset points to a wrong clock
 * or zone.
 */
export function examineOffsets(starts: readonly string[], zone: Zone): Finding {
  const check = 'time zone';
  if (starts.length === 0) return { check, ok: null, detail: 'there is no future slot with a comparable time' };
  const odd = starts.filter((start) => !isOfZone(start, zone));
  if (odd.length === 0) {
    return { check, ok: true, detail: `the times of ${starts.length} future slots are in UTC or as in ${zone.name}` };
  }
  const offsets = [...new Set(odd.map(readOffset))].toSorted().join(', ');
  return {
    check,
    ok: false,
    detail: `the times of ${odd.length} of ${starts.length} future slots have the offset ${offsets}, which ${zone.name} does not have then`,
    fix: 'set institution.timeZone to the institution’s zone, or correct the program that writes these slots',
  };
}

const readOffset = (instant: string): string => /(Z|[+-]\d{2}:\d{2})$/.exec(instant)?.[1] ?? '';

/** True if the text's wall-clock time is that of the zone or of UTC. */
function isOfZone(instant: string, zone: Zone): boolean {
  const offset = readOffset(instant);
  if (offset === 'Z' || offset === '+00:00') return true;
  const shown = instant.slice(0, 16);
  return zone.toLocalTime(new Date(instant).toISOString()).slice(0, 16) === shown;
}

/**
 * Checks whether the institution's records fit together. Each resource alone may be valid FHIR, but contradict others.
 */
async function* examineCatalogue(context: FhirContext, call: Call): AsyncGenerator<Finding> {
  const check = 'catalogue';
  const { catalogue } = context;
  const dangling = await catalogue.listDangling(call);
  if (dangling.length > 0) {
    const detail = `${dangling.length} resources refer to missing resources, or by an address that is not the server’s own: ${nameSome(dangling)}`;
    const fix = 'correct these references: their targets are omitted';
    yield { check: 'references', ok: false, detail, fix };
  }
  for (const { found, is, fix, isMeant } of await listCatalogueFaults(context, call)) {
    const [first] = found;
    if (!first) continue;
    const names = nameSome(found.map(({ resourceType, id }) => `${resourceType}/${id}`));
    yield {
      check,
      ok: isMeant ? null : false,
      detail: `${found.length} ${first.resourceType} resources ${is}: ${names}`,
      fix,
    };
  }
}

/**
 * Resources of a catalog, their fault, and its fix. With `isMeant`, only the institution can decide whether it is a
 * fault.
 */
interface CatalogueFault {
  readonly found: readonly Resource[];
  readonly is: string;
  readonly fix: string;
  readonly isMeant?: true;
}

async function listCatalogueFaults(context: FhirContext, call: Call): Promise<readonly CatalogueFault[]> {
  const { catalogue, codes, settings, zone } = context;
  const { matches: services } = await catalogue.services.get(call);
  const { matches: plans } = await catalogue.plans.get(call);
  const { matches: carriers } = await catalogue.carriers.get(call);
  const { matches: practitioners } = await catalogue.practitioners.get(call);
  const { matches: locations } = await catalogue.locations.get(call);
  const offered = services.filter((each) => isAvailable(each, context));
  const sharing = Map.groupBy(offered, (each) => getServiceCode(each, codes.system('hcs')));
  const planIds = new Set(plans.flatMap(({ id, identifier = [] }) => [id, ...identifier.map(({ value }) => value)]));
  const institutions = new Set(offered.map(({ providedBy }) => providedBy?.reference));
  /** Seeded services of other institutions are only in the directory. */
  const isOurs = ({ category, program, extension, identifier, providedBy }: Resource<'HealthcareService'>) =>
    JSON.stringify([category, program, extension]).includes(`"${settings.namespace}/`) ||
    (institutions.has(providedBy?.reference) && findIdentifierValue(identifier, [codes.sid('seed')]) === undefined);
  const isInForce = createIsInForce(call, zone);
  const wholes = new Map(locations.map(({ id, partOf }) => [id, parseReferenceId(partOf, 'Location') ?? '']));
  return [
    {
      found: offered.filter((each) => [...(readLimits(each, context).plans ?? [])].some((id) => !planIds.has(id))),
      is: 'have a plan in program that is no identifier or id of an InsurancePlan, so it pays for nothing',
      fix: 'correct program, or the identifier of the plan (docs/reference/fhir/set-up.md, 5)',
    },
    {
      found: [...sharing.values()].filter(({ length }) => length > 1).flat(),
      is: 'share a code with another service, so each can be booked in the other’s schedules',
      fix: `give each service its own code of ${codes.system('hcs')}`,
    },
    {
      found: services.filter((each) => each.active !== false && !offered.includes(each) && isOurs(each)),
      is: 'have no code, so they are only in the directory and cannot be booked',
      fix: `give the institution’s own services a code of ${codes.system('hcs')}`,
      isMeant: true,
    },
    {
      found: plans.filter(
        ({ status = 'active', ownedBy }) =>
          status === 'active' && !carriers.some(({ id }) => id === parseReferenceId(ownedBy, 'Organization')),
      ),
      is: 'have no carrier, so no list contains them',
      fix: 'set ownedBy to an Organization of the type ins, if patients should get them',
      isMeant: true,
    },
    {
      found: practitioners.filter(({ name }) => !formatPractitionerName(name, settings.practitionerName, isInForce)),
      is: 'have no name',
      fix: 'give them a name',
    },
    {
      found: locations.filter(({ id }) => isInCircle(id, wholes)),
      is: 'are part of themselves in a cycle, so their site is unknown',
      fix: 'correct partOf of one of them',
    },
  ];
}

function isInCircle(id: string, wholes: ReadonlyMap<string, string>): boolean {
  const seen = new Set<string>();
  for (let at = wholes.get(id); at && !seen.has(at); at = wholes.get(at)) {
    if (at === id) return true;
    seen.add(at);
  }
  return false;
}

const SAMPLE = 200;

/**
 * Checks for a sample of patients whether a search by the shown document finds them, and whether their mergers lead to
 * a record. Nothing else of a patient is read.
 */
async function* examinePatients({ client, codes }: FhirContext, call: Call): AsyncGenerator<Finding> {
  const check = 'documents';
  const query = { _elements: 'identifier,link', _count: String(SAMPLE) };
  const { matches } = await client.search('Patient', query, call, { onePage: true, lenient: true });
  // Next to a document, an identifier of another system is not one for registration.
  const isMeant = ({ type, entry }: Document) =>
    type !== 'Other' || entry.type !== undefined || codes.other.includes(entry.system ?? '');
  const lost = matches.filter(({ identifier }) => {
    const documents = readDocuments(identifier, codes);
    const meant = documents.some(isMeant) ? documents.filter(isMeant) : documents;
    return meant.some(({ type, value, entry }) => !isSearchable(value, type, entry));
  });
  const looked = `of ${matches.length} examined patients`;
  const detail = `${looked}, ${lost.length} have a document that no search finds, so they may be registered twice: ${nameAll(lost)}`;
  yield lost.length === 0
    ? { check, ok: true, detail: `${looked}, each is found by every document` }
    : { check, ok: null, detail, fix: 'write documents as in docs/reference/fhir/set-up.md, 9' };
  const endless = await listEndlessMergers(client, matches, call);
  if (endless.length === 0) return;
  yield {
    check: 'mergers',
    ok: null,
    detail: `${looked}, ${endless.length} were merged into themselves, along a cycle or into a missing record, so they remain separate: ${nameAll(endless)}`,
    fix: 'correct Patient.link of the type replaced-by',
  };
}

const nameAll = (patients: readonly Resource<'Patient'>[]): string =>
  nameSome(patients.map(({ id }) => `Patient/${id}`));
