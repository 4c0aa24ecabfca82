import { isOffered, isWrite, type Operation } from '../../api/index.ts';
import type { Config } from '../../config/schema.ts';
import {
  type Case,
  createPortsSubject,
  type PartialFixtures,
  type Request,
  type Response,
  readCases,
  runCase,
} from '../../contract/index.ts';
import { explainThrown, Skipped } from '../../contract/thrown.ts';
import { withDeadline } from '../../guard/deadline.ts';
import { Failure, type Finding, type OmittedRecord } from '../../ports/index.ts';
import type { Composition } from '../../runtime/container.ts';
import { findCauseCode } from '../../toolkit/failures.ts';
import { Omissions } from '../../toolkit/omissions.ts';
import { commandLine } from '../../toolkit/package.ts';
import { getField, getFields } from '../../toolkit/records.ts';

interface OperationsToExamine {
  readonly composition: Composition;
  readonly config: Config;
  readonly patients: readonly string[];
}

/** Runs the contract's cases for reads, with ids from earlier answers. */
export class OperationsExaminer {
  readonly #given: OperationsToExamine;
  readonly #omitted = new Map<string, Omitted>();
  #services: readonly string[] = [];
  #carriers: readonly string[] = [];
  readonly #coverages = new Map<string, string>();

  constructor(given: OperationsToExamine) {
    this.#given = given;
  }

  /** Yields one finding for each possible read of the adapter, and then the records that its lists omitted. */
  async *examine(adapter: string): AsyncGenerator<Finding> {
    const { composition, config, patients } = this.#given;
    const tried = new Set<string>();
    this.#omitted.clear();
    let hasFault = false;
    const owned = composition.operations.filter(({ uses }) => composition.findOwner(uses[0]) === adapter);
    const offered = owned.filter((operation) => isOffered(operation, composition.supports));
    for (const testCase of readCases) {
      const operation = offered.find(({ route }) => testCase.id === `document.${route}.least`);
      const asked = operation ? await this.#run(testCase, operation) : [];
      if (!operation || asked.length === 0) continue;
      tried.add(operation.name);
      const finding = describeAnswers(operation, asked);
      hasFault ||= finding.ok === false;
      yield finding;
      if (operation.name === 'searchAvailableAppointments') yield* describeTimes(asked, config.institution.timeZone);
    }
    yield* this.#listOmitted();
    yield* listUntried(offered, tried, { patients, hasFault });
  }

  /** Runs the case with all known fixtures. No request is sent twice. */
  async #run(testCase: Case, operation: Operation): Promise<Asked[]> {
    const { guard, http } = this.#given.config;
    const timeoutMs = guard.operations[operation.name]?.deadline ?? http.readDeadline;
    const sent = new Set<string>();
    const asked: Asked[] = [];
    for (const fixtures of this.#listFixtures()) {
      const got = await this.#ask(testCase, fixtures, { timeoutMs, sent });
      if (!got) continue;
      asked.push(got);
      this.#learn(operation, got.response?.body, fixtures);
    }
    return asked;
  }

  /** Undefined if the case needs an unknown fixture, and therefore sends nothing. */
  async #ask(
    testCase: Case,
    fixtures: PartialFixtures,
    { timeoutMs, sent }: { readonly timeoutMs: number; readonly sent: Set<string> },
  ): Promise<Asked | undefined> {
    const { ports, supports } = this.#given.composition;
    const startedAt = performance.now();
    const omissions = new Omissions();
    let exchange: { request: Request; response?: Response } | undefined;
    let thrown: unknown;
    const hasPassed = await withDeadline(timeoutMs, async ({ signal, timeLeft }) => {
      const call = { client: 'doctor', signal, timeLeft, omit: omissions.add };
      const subject = createPortsSubject({ ports, supports: [...supports], fixtures, call });
      const send = async (request: Request) => {
        const text = JSON.stringify(request);
        if (sent.has(text)) throw new Skipped('it was already sent');
        sent.add(text);
        exchange = { request };
        exchange.response = await subject.send(request);
        return exchange.response;
      };
      const { outcome } = await runCase(testCase, async () => ({ ...subject, send }), 'safe');
      thrown = subject.thrown.list()[0]?.[1];
      return outcome !== 'fail';
    }).catch((error: unknown) => {
      thrown = error;
      return false;
    });
    for (const { record, id } of omissions.list) {
      const { resourceType, element } = record;
      this.#omitted.set([resourceType, id ?? `${testCase.id} ${element}`].join('/'), { ...record, id });
    }
    if (!exchange) return undefined;
    const { response } = exchange;
    const fault = hasPassed ? undefined : explainFault(response ?? {}, thrown);
    return { response, fault, ms: Math.round(performance.now() - startedAt) };
  }

  /** The known fixtures. Each names one patient, service or carrier. */
  #listFixtures(): PartialFixtures[] {
    const { timeZone, locale } = this.#given.config.institution;
    const none = { timeZone, locale, unknown: 'puente-doctor-unknown' };
    const patients = this.#given.patients.map((complete): PartialFixtures => {
      const active = this.#coverages.get(complete);
      return { ...none, patients: { complete }, ...(active !== undefined && { coverages: { active } }) };
    });
    const services = this.#services.map((bookable): PartialFixtures => ({ ...none, services: { bookable } }));
    const carriers = this.#carriers.map(
      (id): PartialFixtures => ({ ...none, carriers: { withPlans: { id, name: '' } } }),
    );
    return [none, ...patients, ...services, ...carriers];
  }

  #learn({ name }: Operation, body: unknown, { patients }: PartialFixtures): void {
    const ids = (findList(body) ?? []).flatMap((record) => {
      const id = getField(record, 'id');
      return typeof id === 'string' && id !== '' ? [id] : [];
    });
    const [first] = ids;
    if (name === 'listCarriers') this.#carriers = ids.slice(0, SAMPLE);
    if (name === 'searchHealthCareServices') this.#services = ids.slice(0, SAMPLE);
    const patient = patients?.complete;
    if (name === 'listHealthInsurances' && patient !== undefined && first !== undefined)
      this.#coverages.set(patient, first);
  }

  *#listOmitted(): Generator<Finding> {
    const check = 'record left out';
    const { ids = [], others = [] } = Object.groupBy(this.#omitted.values(), ({ element }) =>
      element === 'id' ? 'ids' : 'others',
    );
    for (const [type, same] of Map.groupBy(ids, ({ resourceType }) => resourceType)) {
      const detail = `${formatCount(same.length, `${type} record`)} omitted, because an id is not valid in a URL, e.g. with a blank or a slash`;
      yield { check, ok: false, detail, fix: 'change their ids in the institution’s system' };
    }
    for (const { resourceType, element, id } of others) {
      const name = id === undefined ? `a ${resourceType} with an unknown id` : `${resourceType}/${id}`;
      yield {
        check,
        ok: false,
        detail: `${name} is omitted, because of its ${element}`,
        fix: 'correct this element in the institution’s system',
      };
    }
  }
}

function describeAnswers({ name }: Operation, asked: readonly Asked[]): Finding {
  const faults = asked.flatMap(({ fault }) => fault ?? []);
  const [first] = faults;
  if (first) {
    const share = asked.length > 1 ? `${faults.length} of ${asked.length} requests fail, the first with ` : '';
    return { check: name, ok: false, detail: share + first.detail, fix: first.fix };
  }
  const records = asked.flatMap(listBodies).reduce<number>((sum, body) => sum + countRecords(body), 0);
  const slowest = Math.max(...asked.map(({ ms }) => ms));
  const answers = asked.length === 1 ? `(${slowest} ms)` : `in ${asked.length} answers (at most ${slowest} ms)`;
  const detail = `${formatCount(records, 'record')} ${answers}`;
  if (records > 0) return { check: name, ok: true, detail };
  if (!neverEmpty.has(name)) return { check: name, ok: null, detail: `no record ${answers}` };
  return {
    check: name,
    ok: false,
    detail: `no record ${answers}, so no patient can book`,
    fix: 'check the adapter’s documentation for the records and codes that it reads',
  };
}

/** The body of a success. A patient without main practitioner is a 404 without a record. */
const listBodies = ({ response }: Asked): readonly unknown[] => (response?.status === 200 ? [response.body] : []);

/** Only the institution can confirm the hours: a wrong zone shifts them. */
function* describeTimes(asked: readonly Asked[], timeZone: string): Generator<Finding> {
  const times = asked
    .flatMap(({ response }) => findList(response?.body) ?? [])
    .map((slot) => String(getField(slot, 'date')).slice(11, 16))
    .toSorted();
  if (times.length === 0) return;
  yield {
    check: 'opening hours',
    ok: null,
    detail: `free times begin between ${times[0]} and ${times.at(-1)} in ${timeZone}`,
    fix: 'compare this with the institution’s hours, and correct institution.timeZone if they are shifted',
  };
}

interface Asking {
  readonly patients: readonly string[];
  /** True if a list that supplies ids has a fault. */
  readonly hasFault: boolean;
}

function* listUntried(
  offered: readonly Operation[],
  tried: ReadonlySet<string>,
  { patients, hasFault }: Asking,
): Generator<Finding> {
  const check = 'not tried';
  const reads = offered.filter((each) => !isWrite(each) && !tried.has(each.name)).map(({ name }) => name);
  if (reads.length > 0) {
    const fix =
      patients.length === 0
        ? `${hasFault ? 'correct the lists marked ✖ above, and ' : ''}name patients by --patient ID`
        : 'these need records that the named patients lack, or an identity document: send them to the gateway';
    yield { check, ok: null, detail: reads.join(', '), fix };
  }
  const writes = offered.filter(isWrite).length;
  if (writes > 0) {
    const detail = `${formatCount(writes, 'operation')} that ${writes === 1 ? 'writes' : 'write'}, because doctor commits no write`;
    yield { check, ok: null, detail, fix: `test them by ${commandLine} contract, on a test system` };
  }
}

const formatCount = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** A record that a list omitted. */
interface Omitted extends OmittedRecord {
  /** Undefined if the adapter does not report it. */
  readonly id: string | undefined;
}

/** The result of one request. */
interface Asked {
  /** Undefined without an answer. */
  readonly response: Response | undefined;
  /** The violated promise of the contract. Undefined if there is none. */
  readonly fault: CaseFault | undefined;
  readonly ms: number;
}

interface CaseFault {
  readonly detail: string;
  readonly fix: string;
}

/** Explains the failure of a case, and the fix. It repeats no text of a backend and no value. */
function explainFault({ status, body }: Partial<Response>, thrown: unknown): CaseFault {
  const code = getField(body, 'code');
  const cause = findCauseCode(thrown);
  const at = thrown instanceof Failure ? thrown.at : undefined;
  const where =
    thrown instanceof Failure
      ? [cause === code ? undefined : cause, at && `at ${at}`]
      : [thrown && explainThrown(thrown)];
  const causes = where.filter(Boolean).join(', ');
  return {
    detail: `${status === undefined ? 'no answer' : `${status} ${code}`}${causes && ` (${causes})`}`,
    fix:
      (cause && fixesOfCauses[cause]) ??
      fixes[String(code)] ??
      'fix each ✖ above first, then look up this code in the adapter’s documentation',
  };
}

/** These causes are no fault of a record. */
const fixesOfCauses: Readonly<Record<string, string>> = {
  too_many_results: 'raise the adapter’s limit for lists: limits.entries, and limits.pages with it',
  TOO_LARGE: 'raise the adapter’s limit for answers: limits.bytes, or in a mapping file the named limit or bytes',
};

const fixes: Readonly<Record<string, string>> = {
  not_found: 'name an existing patient by the id in the API',
  backend_timeout: 'find out why the institution’s system is slow, or raise http.readDeadline',
  backend_invalid_response: 'correct the record in the institution’s system, or the adapter',
  internal_error: 'report this bug to the developers of the adapter',
  overloaded: 'raise the limits of the institution’s system, or retry when its load is lower',
};

/** The number of records of an answer: those of its first list, or one. */
function countRecords(body: unknown): number {
  const list = findList(body);
  return list ? list.length : 1;
}

function findList(body: unknown): readonly unknown[] | undefined {
  const values: unknown[] = Array.isArray(body) ? [body] : Object.values(getFields(body));
  const list: unknown = values.find(Array.isArray);
  return Array.isArray(list) ? list : undefined;
}

/** The number of carriers and services whose details are read. */
const SAMPLE = 5;

/** Lists that every institution needs for bookings, so they are never empty. */
const neverEmpty: ReadonlySet<string> = new Set([
  'listPractitioners',
  'listLocations',
  'searchHealthCareServices',
  'listCarriers',
]);
