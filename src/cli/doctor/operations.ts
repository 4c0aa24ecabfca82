import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import {
  getPortName,
  isOffered,
  isWrite,
  type Operation,
  type ProblemCode,
  perform,
  problems,
  type RawRequest,
  Rejection,
} from '../../api/index.ts';
import type { Config } from '../../config/schema.ts';
import { withDeadline } from '../../guard/deadline.ts';
import type { Finding, OmittedRecord } from '../../ports/index.ts';
import type { Composition } from '../../runtime/container.ts';
import { findCauseCode, listFrames } from '../../toolkit/failures.ts';
import { Omissions } from '../../toolkit/omissions.ts';
import { commandLine } from '../../toolkit/package.ts';
import { getField, getFields } from '../../toolkit/records.ts';

interface OperationsToExamine {
  readonly composition: Composition;
  readonly config: Config;
  readonly patients: readonly string[];
}

/** Asks every operation that only reads, and compares the answers with what the API document has. */
export class OperationsExaminer {
  readonly #given: OperationsToExamine;
  readonly #omitted = new Map<string, Omitted>();
  #ids: KnownIds = { carriers: [], services: [], coverages: [] };
  #coverages = new Map<string, readonly string[]>();

  constructor(given: OperationsToExamine) {
    this.#given = given;
  }

  /**
   * One finding for each operation of the adapter that can be asked, and after them what its records lack.
   * @param hasGaps whether it is known why they lack something.
   */
  async *examine(adapter: string, hasGaps: boolean): AsyncGenerator<Finding> {
    const { composition, config, patients } = this.#given;
    const unfilled: Finding[] = [];
    const tried = new Set<string>();
    this.#omitted.clear();
    const owned = composition.operations.filter(({ uses }) => composition.findOwner(uses[0]) === adapter);
    const offered = owned.filter((operation) => isOffered(operation, composition.supports));
    for (const [name, toRequests] of asks.flatMap(([ask, ...names]) => names.map((name) => [name, ask] as const))) {
      const operation = offered.find((each) => each.name === name);
      if (!operation) continue;
      const people = [undefined, ...patients].map((patient) => this.#knowOf(patient));
      const forNobody = toRequests(this.#ids).length > 0;
      const asked: Asked[] = [];
      for (const ids of forNobody ? people.slice(0, 1) : people.slice(1)) {
        for (const raw of toRequests(ids)) {
          const got = await this.#ask(operation, raw);
          asked.push(got);
          this.#learn(operation, got.body, ids.patient);
        }
      }
      if (asked.length === 0) continue;
      tried.add(name);
      yield describeAnswers(operation, asked);
      if (name === 'searchAvailableAppointments') yield* describeTimes(asked, config.institution.timeZone);
      unfilled.push(...describeUnfilled(operation, asked));
    }
    yield* this.#listOmitted();
    if (!hasGaps) yield* unfilled;
    yield* listUntried(offered, tried, patients);
  }

  async #ask(operation: Operation, raw: Parameters<typeof ask>[2]): Promise<Asked> {
    const { composition, config } = this.#given;
    const timeoutMs = config.guard.operations[operation.name]?.deadline ?? config.http.readDeadline;
    const asked = await ask(operation, composition.ports[getPortName(operation)], raw, timeoutMs);
    for (const each of asked.omitted) {
      const { resourceType, element, id } = each;
      this.#omitted.set([resourceType, id ?? `${operation.name} ${element}`].join('/'), each);
    }
    return asked;
  }

  #knowOf(patient: string | undefined): KnownIds {
    if (patient === undefined) return this.#ids;
    return { ...this.#ids, patient, coverages: this.#coverages.get(patient) ?? [] };
  }

  #learn({ name }: Operation, body: unknown, patient: string | undefined): void {
    const ids = (findList(body) ?? []).flatMap((record) => {
      const id = getField(record, 'id');
      return typeof id === 'string' && id !== '' ? [id] : [];
    });
    if (name === 'listCarriers') this.#ids = { ...this.#ids, carriers: ids };
    if (name === 'searchHealthCareServices') this.#ids = { ...this.#ids, services: ids };
    if (name === 'listHealthInsurances' && patient !== undefined) this.#coverages.set(patient, ids);
  }

  *#listOmitted(): Generator<Finding> {
    const check = 'record left out';
    const { ids = [], others = [] } = Object.groupBy(this.#omitted.values(), ({ element }) =>
      element === 'id' ? 'ids' : 'others',
    );
    for (const [type, same] of Map.groupBy(ids, ({ resourceType }) => resourceType)) {
      const detail = `${formatCount(same.length, `${type} record`)} cannot be shown, because of an id that cannot stand in a URL, as one with a blank or a slash`;
      yield { check, ok: false, detail, fix: 'give them other ids in the institution’s system' };
    }
    for (const { resourceType, element, id } of others) {
      const name = id === undefined ? `a ${resourceType} whose id is not known` : `${resourceType}/${id}`;
      yield {
        check,
        ok: false,
        detail: `${name} cannot be shown, because of its ${element}`,
        fix: 'correct this element in the institution’s system',
      };
    }
  }
}

function describeAnswers({ name }: Operation, asked: readonly Asked[]): Finding {
  const failed = asked.flatMap(({ rejection }) => (rejection && !emptyAnswers.has(rejection.code) ? [rejection] : []));
  const [first] = failed;
  if (first) {
    const { detail, fix } = explainRejection(first);
    const share = asked.length > 1 ? `${failed.length} of ${asked.length} requests fail, the first with ` : '';
    return { check: name, ok: false, detail: share + detail, fix };
  }
  const records = asked.reduce((sum, { body }) => sum + (body === undefined ? 0 : countRecords(body)), 0);
  const slowest = Math.max(...asked.map(({ ms }) => ms));
  const answers = asked.length === 1 ? `(${slowest} ms)` : `in ${asked.length} answers (${slowest} ms at most)`;
  const detail = `${formatCount(records, 'record')} ${answers}`;
  if (records > 0) return { check: name, ok: true, detail };
  if (!neverEmpty.has(name)) return { check: name, ok: null, detail: `no record ${answers}` };
  return {
    check: name,
    ok: false,
    detail: `no record ${answers}, so nobody can book`,
    fix: 'see in the documentation of the adapter which records it looks for, and under which codes',
  };
}

/** Only the institution knows whether these are its hours: a wrong zone shifts them. */
function* describeTimes(asked: readonly Asked[], timeZone: string): Generator<Finding> {
  const times = asked
    .flatMap(({ body }) => findList(body) ?? [])
    .map((slot) => String(getField(slot, 'date')).slice(11, 16))
    .toSorted();
  if (times.length === 0) return;
  yield {
    check: 'opening hours',
    ok: null,
    detail: `free times begin between ${times[0]} and ${times.at(-1)} in ${timeZone}`,
    fix: 'compare this with the hours of the institution; if it is shifted, correct institution.timeZone',
  };
}

function describeUnfilled({ name, returns: [, schema] }: Operation, asked: readonly Asked[]): Finding[] {
  const bodies = asked.flatMap(({ body }) => (body === undefined ? [] : [body]));
  const records = bodies.reduce<number>((sum, body) => sum + countRecords(body), 0);
  const filled = new Set(bodies.flatMap((body) => listFilled(body)));
  const never = listFields(schema).filter((field) => !filled.has(field));
  if (records === 0 || never.length === 0) return [];
  return [
    {
      check: 'fields never filled',
      ok: null,
      detail: `${name}, in ${formatCount(records, 'record')}: ${never.map(shorten).join(', ')}`,
      fix: 'fill them in the institution’s system if it knows them',
    },
  ];
}

/** Without the field that holds the list itself, which tells nothing. */
const shorten = (field: string): string =>
  field.replace(/^(data|locations|practitioner|health\w*|appointments|family_group|tickets)\//, '');

function* listUntried(offered: readonly Operation[], tried: ReadonlySet<string>, patients: readonly string[]) {
  const check = 'not tried';
  const reads = offered.filter((each) => !isWrite(each) && !tried.has(each.name)).map(({ name }) => name);
  if (reads.length > 0) {
    const fix =
      patients.length === 0
        ? 'mend the lists above, which would have given ids, and name patients by --patient ID'
        : 'these need what the named patients do not have, or a document of identity: ask the gateway itself';
    yield { check, ok: null, detail: reads.join(', '), fix };
  }
  const writes = offered.filter(isWrite).length;
  if (writes > 0) {
    const detail = `${formatCount(writes, 'operation')} that ${writes === 1 ? 'writes' : 'write'}, because nothing is ever written here`;
    yield { check, ok: null, detail, fix: `try them by ${commandLine} contract, on a system for tests` };
  }
}

const formatCount = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** A record that a list left out. */
export interface Omitted extends OmittedRecord {
  /** Undefined when the adapter does not say. */
  readonly id: string | undefined;
}

/** What came of one request: the documented answer, or why there is none. */
export interface Asked {
  readonly body?: unknown;
  readonly rejection?: Rejection;
  readonly ms: number;
  readonly omitted: readonly Omitted[];
}

/** Performs an operation as the gateway would, within its deadline, and learns which records are left out. */
export async function ask(
  operation: Operation,
  port: unknown,
  raw: Partial<RawRequest>,
  timeoutMs: number,
): Promise<Asked> {
  const omissions = new Omissions();
  const startedAt = performance.now();
  const outcome = await withDeadline(timeoutMs, ({ signal, timeLeft }) =>
    perform(
      operation,
      port,
      { params: {}, query: {}, body: undefined, ...raw },
      {
        requestId: randomUUID(),
        client: 'doctor',
        now: new Date().toISOString(),
        signal,
        timeLeft,
        omit: omissions.add,
      },
    ),
  ).then(
    ({ body }) => ({ body }),
    (error: unknown) => ({
      rejection: error instanceof Rejection ? error : new Rejection('backend_timeout', { cause: error }),
    }),
  );
  const omitted = omissions.list.map(({ record, id }) => ({ ...record, id }));
  return { ...outcome, ms: Math.round(performance.now() - startedAt), omitted };
}

/** What the gateway answers there, and what to do about it. No word of a backend, and no value, is repeated. */
function explainRejection({ code, details }: Rejection): { readonly detail: string; readonly fix: string } {
  const cause = findCauseCode(details.cause);
  const causes = [cause === code ? undefined : cause, details.at && `at ${details.at}`].filter(Boolean).join(', ');
  const [frame] = code === 'internal_error' ? listFrames(details.cause) : [];
  const where = [causes, frame].filter(Boolean).join(', ');
  return {
    detail: `${problems[code].status} ${code}${where ? ` (${where})` : ''}`,
    fix:
      (cause && fixesOfCauses[cause]) ??
      fixes[code] ??
      'mend each ✖ above first; else look for this code in the documentation of the adapter',
  };
}

/** No record is to blame for these. */
const fixesOfCauses: Readonly<Record<string, string>> = {
  too_many_results: 'raise how many records the adapter reads of one list: limits.entries, and limits.pages with it',
  TOO_LARGE: 'raise what the adapter reads of one answer: limits.bytes; in a mapping file what is named, else bytes',
};

const fixes: Partial<Readonly<Record<ProblemCode, string>>> = {
  not_found: 'name a patient whom the institution has, by the id that the API uses',
  backend_timeout: 'find out what takes the institution’s system so long, or raise http.readDeadline',
  backend_invalid_response: 'correct the record in the institution’s system, or the adapter',
  internal_error: 'report it to the developers of the adapter: it is a bug',
  overloaded: 'raise the limits of the institution’s system, or ask again when it has less to do',
};

/** Every field that the schema declares, and below it its own, e.g. `locations/address/city`. Positions in lists are left out. */
function listFields(schema: z.core.$ZodType, path = ''): string[] {
  const { def } = schema._zod;
  if (schema instanceof z.ZodObject) {
    return Object.entries<z.core.$ZodType>(schema.shape).flatMap(([name, field]) =>
      listFields(field, path ? `${path}/${name}` : name),
    );
  }
  if (schema instanceof z.ZodArray) return listFields(schema.element, path);
  if (schema instanceof z.ZodUnion) return [...new Set(schema.options.flatMap((each) => listFields(each, path)))];
  if ('innerType' in def && def.innerType instanceof z.ZodType) return listFields(def.innerType, path);
  return path ? [path] : [];
}

/** The fields that have a value; an empty text, an empty list and null are none. */
function listFilled(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => listFilled(each, path));
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, field]) => listFilled(field, path ? `${path}/${name}` : name));
  }
  return value === undefined || value === null || value === '' ? [] : [path];
}

/** How many records an answer has: those of its first list, or itself. */
function countRecords(body: unknown): number {
  const list = findList(body);
  return list ? list.length : 1;
}

function findList(body: unknown): readonly unknown[] | undefined {
  const values: unknown[] = Array.isArray(body) ? [body] : Object.values(getFields(body));
  const list: unknown = values.find(Array.isArray);
  return Array.isArray(list) ? list : undefined;
}

/** Ids that earlier answers gave, by which later operations can be asked. */
interface KnownIds {
  readonly carriers: readonly string[];
  readonly services: readonly string[];
  readonly patient?: string;
  readonly coverages: readonly string[];
}

/** How many carriers and services are asked for what they have. */
const SAMPLE = 5;

type Ask = (ids: KnownIds) => Partial<RawRequest>[];

const once: Ask = () => [{}];
const forPatient = (toRequest: (patient: string) => Partial<RawRequest>): Ask => {
  return ({ patient }) => (patient === undefined ? [] : [toRequest(patient)]);
};
const eachService = (toRequest: (service: string) => Partial<RawRequest>): Ask => {
  return ({ services }) => services.slice(0, SAMPLE).map(toRequest);
};
const byPath = forPatient((id) => ({ params: { id } }));
const page = { page: '0', limit: '100' };
const byCoverage: Ask = ({ patient, coverages }) =>
  patient === undefined
    ? []
    : coverages.slice(0, 1).map((id) => ({ query: { patientId: patient, patientCoverageId: id, ...page } }));

/** What can be asked of the operations that only read, in the order in which they learn from each other. */
const asks: readonly (readonly [Ask, ...string[]])[] = [
  [once, 'listPractitioners', 'listLocations', 'getMedicalDirectory', 'searchHealthCareServices'],
  [eachService((id) => ({ query: { health_care_service_id: id } })), 'searchAvailableAppointments'],
  [eachService((id) => ({ query: page, body: { hcsId: id } })), 'getAvailableSlots'],
  [once, 'listCarriers'],
  [({ carriers }) => carriers.slice(0, SAMPLE).map((id) => ({ params: { id } })), 'listPlans'],
  [() => [{ query: page }], 'getInsuranceCarriers', 'getInsuranceCarriersByOwner'],
  [once, 'listTicketTypes', 'listPractitionerChangeReasons'],
  [byPath, 'getPatient', 'listHealthInsurances', 'listAppointments'],
  [forPatient((patientId) => ({ query: { patientId, ...page } })), 'getAppointment'],
  [byPath, 'listTickets', 'listFamilyGroup', 'getMainPractitioner', 'getPractitionerChange'],
  [byCoverage, 'getHealthCareService', 'getFrequentHcs', 'getFrequentHcsByType'],
];

/** Lists without which no booking is possible: every institution has something of each. */
const neverEmpty: ReadonlySet<string> = new Set([
  'listPractitioners',
  'listLocations',
  'searchHealthCareServices',
  'listCarriers',
]);

const emptyAnswers: ReadonlySet<string> = new Set(['no_main_practitioner', 'no_change_request']);
