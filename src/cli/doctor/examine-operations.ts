import { getPortName, isOffered, isWrite, type Operation } from '../../api/index.ts';
import type { Config } from '../../config/schema.ts';
import type { Finding } from '../../ports/index.ts';
import type { Composition } from '../../runtime/container.ts';
import { commandLine } from '../../toolkit/package.ts';
import { type Asked, ask, type Omitted } from './ask.ts';
import { explainRejection } from './explain-rejection.ts';
import { countRecords, findList, listFields, listFilled } from './fields.ts';
import { asks, emptyAnswers, type KnownIds, neverEmpty } from './requests.ts';

export interface OperationsToExamine {
  readonly composition: Composition;
  readonly config: Config;
  /** Ids of the patients that the operator named. */
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
    for (const [name, toRequests] of Object.entries(asks)) {
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
      const { id }: { readonly id?: unknown } = Object(record);
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
    .map((slot) => String(Object(slot).date).slice(11, 16))
    .toSorted();
  if (times.length === 0) return;
  yield {
    check: 'opening hours',
    ok: null,
    detail: `free times begin between ${times[0]} and ${times.at(-1)} in ${timeZone}`,
    fix: 'compare this with the hours of the institution; if it is shifted, correct institution.timeZone',
  };
}

/** The documented fields that no record has a value for. */
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
