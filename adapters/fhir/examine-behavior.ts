import { isObject } from '../../src/http-client/answer-size.ts';
import type { Capability, Examination, Finding } from '../../src/ports/index.ts';
import { ignoreFailure } from '../../src/toolkit/failures.ts';
import type { FhirContext } from './context.ts';
import { readContent } from './rest/binary.ts';
import type { FhirClient } from './rest/client.ts';
import { parseJson } from './rest/decode.ts';
import type { LearnedPart } from './rest/ladder.ts';
import { encodeQuery, type SearchQuery } from './rest/query.ts';
import type { ServerCall, Transport } from './rest/transport.ts';
import { type FhirAttachment, isId } from './schema/datatypes.ts';
import type { ResourceType } from './schema/resources.ts';
import type { Settings } from './settings.ts';
import { isAsSaid } from './tickets/files.ts';

const check = 'behavior';

/**
 * Compares answers with their queries, on existing data and by reads only. It uses ids and times of appointments, and
 * compares one file of the tickets. For each optional part of FHIR that the server does not support, it reports the
 * replacement.
 */
export async function* examineBehavior(
  { client, settings }: FhirContext,
  transport: Transport,
  uses: Examination['uses'],
  call: ServerCall,
): AsyncGenerator<Finding> {
  if (!examined.some((capability) => uses.has(capability))) return;
  const trial = new BehaviorTrial(client, settings, transport, call);
  const findings: Finding[] = [];
  if (uses.has('appointments.list')) await trial.tryPages();
  if (uses.has('appointments.slots')) {
    await client.prepare(call);
    await trial.tryStatuses();
    findings.push(...(await trial.tryCatalogue()));
  }
  if (uses.has('tickets.list')) findings.push(...(await trial.tryFiles()));
  const lessons = client.ladder.list().filter(({ part }) => part !== '_count');
  for (const same of Map.groupBy(lessons, ({ part, why }) => `${part} ${why}`).values()) findings.push(describe(same));
  yield* findings;
  if (findings.length === 0) {
    yield { check, ok: true, detail: 'the server answers as requested, as far as its data shows' };
  }
  if (uses.has('patients.register') && !client.ladder.isTried('Basic', 'atomic If-None-Exist')) {
    const detail =
      'only a write can show whether one of several parallel conditional creates succeeds: until then, a gateway searches for a duplicate after each such create';
    const fix = 'set transactions to probe, and a gateway tests this at its start';
    yield { check: 'conditional creates', ok: null, detail, ...(settings.transactions === 'trust' && { fix }) };
  }
}

/** Sends requests that show whether a server obeys. The ladder notes ignored parameters. */
class BehaviorTrial {
  readonly #client: FhirClient;
  readonly #settings: Settings;
  readonly #transport: Transport;
  readonly #call: ServerCall;

  constructor(client: FhirClient, settings: Settings, transport: Transport, call: ServerCall) {
    this.#client = client;
    this.#settings = settings;
    this.#transport = transport;
    this.#call = call;
  }

  /** Compares the second page of appointments with the first one, their order, and the total with the rows. */
  async tryPages(): Promise<void> {
    const query = { _sort: 'date,_id', _count: '2', _total: 'accurate', _elements: 'start' };
    const first = await this.#ask('Appointment', { ...query, _offset: '0' });
    const second = await this.#ask('Appointment', { ...query, _offset: '2' });
    if (!first || !second) return;
    const [one, other] = [first, second].map(({ rows }) => rows.map(({ id }) => id));
    const known = new Set(one);
    const isIgnored = known.size > 2 || other?.some((id) => known.has(id));
    if (isIgnored) this.#client.ladder.notice('Appointment', '_offset');
    else if (second.rows.length > 0) this.#client.ladder.confirm('Appointment', '_offset');
    const rows = isIgnored ? first.rows : [...first.rows, ...second.rows];
    if (first.total !== undefined && first.total < rows.length) this.#client.ladder.notice('Appointment', '_total');
    if (!isAscending(rows.map(({ start }) => start))) this.#client.ladder.notice('Appointment', '_sort');
  }

  /** Counts the slots without a status, which FHIR does not allow: a server that ignores `:not` counts all slots. */
  async tryStatuses(): Promise<void> {
    const odd = await this.#client.count('Slot', { 'status:not': ALL_STATUSES }, this.#call).catch(ignoreFailure);
    if (odd !== undefined && odd > 0) this.#client.ladder.notice('Slot', 'status:not');
  }

  /** Checks the order of two parts of the catalog, and the bases of their references. */
  async tryCatalogue(): Promise<Finding[]> {
    const bases = new Set<string>();
    for (const type of ['Schedule', 'HealthcareService'] as const) {
      const _sort = this.#client.ladder.heeds(type, '_sort') ? '_lastUpdated,_id' : undefined;
      const page = await this.#ask(type, { _sort, _count: '50' });
      const times = page?.rows.map(({ meta }) => (isObject(meta) ? meta.lastUpdated : undefined)) ?? [];
      if (_sort !== undefined && !isAscending(times)) this.#client.ladder.notice(type, '_sort');
      for (const base of this.#listForeignBases(page?.rows)) bases.add(base);
    }
    if (bases.size === 0) return [];
    const names = [...bases].join(', ');
    const detail = `references name the server by ${names}, which bases does not list: their targets are missing`;
    return [{ check, ok: false, detail, fix: `set bases to [${names}], if these are URLs of this server` }];
  }

  /** The foreign bases of absolute references to the institution's own resources. */
  #listForeignBases(rows: unknown): string[] {
    const references = (JSON.stringify(rows) ?? '').matchAll(
      /"reference":"(https?:\/\/[^"]+?)\/(?:Practitioner|PractitionerRole|Location|HealthcareService|Organization)\/[^"/]+"/g,
    );
    const known = [this.#settings.baseUrl, ...this.#settings.bases].map((each) => each.replace(/\/+$/, ''));
    return [...references].map(([, base = '']) => base).filter((base) => !known.includes(base));
  }

  /** Compares the smallest file of some tickets with its attachment, and checks that its bytes arrive. */
  async tryFiles(): Promise<Finding[]> {
    const page = await this.#ask('QuestionnaireResponse', { _elements: 'item', _count: '50' });
    const [smallest] = listFiles(page?.rows).toSorted((one, other) => getSize(one) - getSize(other));
    if (!smallest) return [];
    const { id, attachment } = smallest;
    const path = this.#transport.paths.build('Binary', id);
    const request = { method: 'GET', path, headers: { Accept: '*/*' }, write: false } as const;
    const reply = await this.#transport.send(request, this.#call).catch(ignoreFailure);
    if (reply?.status !== 200) return [];
    const bytes = readContent(reply.body, id);
    if (!isAsSaid(bytes, attachment)) {
      const detail = `Binary/${id} differs from the size or hash of its attachment, so its ticket omits the file`;
      return [{ check, ok: false, detail, fix: 'store the file again, or correct the attachment' }];
    }
    if (bytes === reply.body) return [];
    const detail = 'the server returns a Binary resource instead of its bytes: the file is extracted from it';
    return [{ check, ok: null, detail, fix: 'configure it to return the bytes for Accept: */*, which saves traffic' }];
  }

  /** The matches. Undefined if the server does not answer with a page. */
  async #ask(type: ResourceType, query: SearchQuery) {
    const path = `${this.#transport.paths.build(type)}?${encodeQuery(query)}`;
    const headers = { 'Cache-Control': 'no-cache' };
    const reply = await this.#transport
      .send({ method: 'GET', path, headers, write: false }, this.#call)
      .catch(ignoreFailure);
    if (reply?.status !== 200) return undefined;
    const { entry, total } = parseJson(reply);
    const entries = Array.isArray(entry) ? entry.filter(isObject) : [];
    const rows = entries.map(({ resource }) => resource).filter(isObject);
    return {
      rows: rows.filter(({ resourceType }) => resourceType === type),
      total: typeof total === 'number' ? total : undefined,
    };
  }
}

const examined = ['appointments.list', 'appointments.slots', 'tickets.list'] as const satisfies readonly Capability[];

const ALL_STATUSES = 'busy,free,busy-unavailable,busy-tentative,entered-in-error';

/** True if the times are in order. Missing times do not count. */
function isAscending(times: readonly unknown[]): boolean {
  const known = times.flatMap((each) => (typeof each === 'string' ? Date.parse(each) : []));
  return known.every((each, index) => each >= (known[index - 1] ?? each));
}

interface StoredFile {
  /** The id of the Binary. */
  readonly id: string;
  readonly attachment: FhirAttachment;
}

const getSize = ({ attachment }: StoredFile): number => attachment.size ?? Number.MAX_VALUE;

/** The attachments in answers, at any depth, that refer to a Binary of the server. */
function listFiles(value: unknown): StoredFile[] {
  if (Array.isArray(value)) return value.flatMap(listFiles);
  if (!isObject(value)) return [];
  const { url, size, hash } = value;
  const [, id] = typeof url === 'string' ? (/^Binary\/([^/]+)$/.exec(url) ?? []) : [];
  if (id === undefined || !isId(id)) return Object.values(value).flatMap(listFiles);
  const attachment = {
    ...(typeof size === 'number' && { size }),
    ...(typeof hash === 'string' && { hash }),
  };
  return [{ id, attachment }];
}

const verbs = {
  refused: 'refuses',
  ignored: 'accepts and ignores',
  failed: 'fails over',
  'too large': 'answers too much to',
} as const;

/** A part that several types lack alike, with the time of the observation. */
function describe(same: readonly LearnedPart[]): Finding {
  const [{ part, why, code, otherWay } = { part: '', why: 'refused', code: undefined, otherWay: '' } as const] = same;
  const types = [...new Set(same.map(({ type }) => type))].join(', ');
  const at = new Date(Math.max(...same.map((each) => each.at))).toISOString().slice(11, 19);
  const seen = `${code === undefined ? '' : `${code}, `}seen at ${at}Z`;
  return {
    ...{ check, ok: null },
    detail: `the server ${verbs[why]} ${part} of ${types} (${seen}): ${otherWay}`,
    fix: `enable ${part} on the server, which saves requests (docs/how-to/fhir.md)`,
  };
}
