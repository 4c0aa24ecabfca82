import { createHash } from 'node:crypto';
import type { Axios } from 'axios';
import { badAnswer, getCauseCode, TOO_LARGE, toNetworkFailure } from '../../../src/http-client/failures.ts';
import { type Call, Failure, type NewTicket } from '../../../src/ports/index.ts';
import type { FhirContext } from '../context.ts';
import type { FhirClient } from '../rest/client.ts';
import type { FhirAttachment, QuestionAnswer } from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';
import type { Codes } from '../schema/terminology.ts';
import type { Settings } from '../settings.ts';
import { startLastLook } from '../writes.ts';
import { type FileReader, flattenItems, toAnswer, toFieldType } from './answers.ts';

const PARALLEL = 4;

/** The first bytes of common file types in tickets. */
const signatures: readonly (readonly [hex: string, contentType: string])[] = [
  ['25504446', 'application/pdf'],
  ['89504e47', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['47494638', 'image/gif'],
];

/** The files of tickets. Each is a `Binary`, because servers limit the size of bundles. */
export class TicketFiles {
  readonly #client: FhirClient;
  readonly #codes: Codes;
  readonly #settings: Settings;
  readonly #elsewhere: Axios;

  /** @param elsewhere the client without credentials and client certificate, because links to files have their own. */
  constructor({ client, codes, settings }: FhirContext, elsewhere: Axios) {
    this.#client = client;
    this.#codes = codes;
    this.#settings = settings;
    this.#elsewhere = elsewhere;
  }

  /**
   * Creates the reader for the files of one answer, up to a limit of bytes. Files are selected in the order of the
   * requests, regardless of their arrival. An unavailable file has the content '', and is reported to the call.
   * @param known the known contents, by the URL of the attachment.
   */
  createReader(call: Call, known: ReadonlyMap<string, Uint8Array> = new Map()): FileReader {
    const { inline, bytes: limit } = this.#settings.ticketFiles;
    let budget = limit;
    const lanes = Array.from<unknown, Promise<unknown>>({ length: PARALLEL }, () => Promise.resolve());
    let turn = 0;
    /** Settles when all earlier files are known to fit or not. */
    let before: Promise<unknown> = Promise.resolve();
    const leaveOut = () => {
      call.omit({ resourceType: 'Binary', element: 'data' });
      return '';
    };
    return async (attachment) => {
      const { url = '', size = 0, data, _data } = attachment;
      // In FHIR, an attachment without data and URL has no file. An extension may state that the data is elsewhere.
      if (!inline || (url === '' && (data ?? _data) === undefined)) return '';
      if (data !== undefined) return isAsSaid(Buffer.from(data, 'base64'), attachment) ? data : leaveOut();
      const lane = turn++ % PARALLEL;
      // A file that does not fit now does not fit later either.
      const fetched = (lanes[lane] ?? before).then(async () =>
        budget <= 0 || size > budget ? undefined : (known.get(url) ?? (await this.#fetch(url, call))),
      );
      const decided = Promise.all([fetched, before]).then(([bytes]) => {
        if (!bytes || bytes.length > budget || !isAsSaid(bytes, attachment)) return leaveOut();
        budget -= bytes.length;
        return Buffer.from(bytes).toString('base64');
      });
      lanes[lane] = fetched;
      before = decided;
      return decided;
    };
  }

  /** Converts the values to answers and uploads files. If an upload fails, the previous ones are discarded. */
  async store(type: Resource<'Questionnaire'>, fields: NewTicket['fields'], call: Call) {
    const items = new Map(flattenItems(type.item).map((item) => [item.linkId, item]));
    const answers = new Map<string, QuestionAnswer>();
    const uploaded: string[] = [];
    const contents = new Map<string, Uint8Array>();
    try {
      for (const [index, { id, value }] of fields.entries()) {
        const item = items.get(id);
        if (!item) throw new Failure('invalid', 'is not a field of this ticket type', { at: `fields/${index}/id` });
        if (toFieldType(item) !== 'file') {
          answers.set(id, toAnswer(value, toFieldType(item), item.type, this.#codes));
          continue;
        }
        const bytes = Buffer.from(value, 'base64');
        const contentType = detectContentType(bytes);
        const binary = await this.#upload(bytes, contentType, call);
        uploaded.push(binary);
        const url = `Binary/${binary}`;
        contents.set(url, bytes);
        answers.set(id, { valueAttachment: { contentType, url, size: bytes.length } });
      }
    } catch (error) {
      await this.discard(uploaded, call);
      throw error;
    }
    return { answers, uploaded, contents };
  }

  /** Removes files without a ticket, also after the end of the call. A failure is ignored. */
  async discard(ids: readonly string[], ended: Call): Promise<void> {
    const call = startLastLook(ended);
    await Promise.allSettled(ids.map((id) => this.#client.remove('Binary', id, call)));
  }

  /** @throws Failure unavailable or timeout when the outcome is uncertain: no ticket is filed without its files. */
  async #upload(bytes: Uint8Array, contentType: string, call: Call): Promise<string> {
    try {
      return await this.#client.upload(bytes, contentType, call);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'outcome_unknown') throw error;
      const kind = call.signal.aborted ? 'timeout' : 'unavailable';
      throw new Failure(kind, 'whether the file was stored is unknown', { cause: error.cause });
    }
  }

  /**
   * Only a `Binary` of the server is read with the gateway's credentials. The author of a link must not trigger other
   * reads.
   */
  async #fetch(url: string, call: Call): Promise<Uint8Array | undefined> {
    const { baseUrl, ticketFiles } = this.#settings;
    const base = `${baseUrl.replace(/\/+$/, '')}/`;
    const [, id, version] = url.match(/^Binary\/([^/]+)(?:\/_history\/([^/]+))?$/) ?? [];
    if (id !== undefined) {
      return this.#client.download(id, call, version).catch(createRefusalHandler([401, 408, 429]));
    }
    const { origin, href } = URL.canParse(url) ? new URL(url) : {};
    const isTrusted = ticketFiles.origins.some((each) => new URL(each).origin === origin);
    if (href === undefined || !isTrusted || href.startsWith(new URL(base).href)) return undefined;
    return this.#fetchElsewhere(href, call).catch(createRefusalHandler([408, 429]));
  }

  async #fetchElsewhere(url: string, call: Call): Promise<Uint8Array | undefined> {
    try {
      const { status, data } = await this.#elsewhere.request<Uint8Array>({ method: 'GET', url, signal: call.signal });
      if (status === 404 || status === 410) return undefined;
      if (status !== 200) throw badAnswer(`HTTP_${status}`);
      return data;
    } catch (error) {
      throw toNetworkFailure(error, false);
    }
  }
}

/** The length of a SHA-1, which R4 requires. Some servers send another hash, or a hexadecimal one. */
const SHA1_BYTES = 20;

/**
 * True if the attachment's metadata match these bytes. Some servers state the size of the base64 text. An empty file is
 * rejected.
 */
export function isAsSaid(bytes: Uint8Array, { size, hash = '' }: FhirAttachment): boolean {
  if (bytes.length === 0) return size === 0;
  const wanted = Buffer.from(hash, 'base64');
  if (wanted.length === SHA1_BYTES) return createHash('sha1').update(bytes).digest().equals(wanted);
  return size === undefined || size === bytes.length || size === Math.ceil(bytes.length / 3) * 4;
}

/** Treats a rejected or too large file as missing, except for these statuses. */
const createRefusalHandler =
  (others: readonly number[]) =>
  (error: unknown): undefined => {
    const code = error instanceof Failure ? (getCauseCode(error) ?? '') : '';
    const [, status] = /^HTTP_(4\d\d)$/.exec(code) ?? [];
    const isRefusal = status !== undefined && !others.includes(Number(status));
    if (!isRefusal && code !== TOO_LARGE) throw error;
  };

function detectContentType(bytes: Buffer): string {
  const start = bytes.subarray(0, 4).toString('hex');
  return signatures.find(([hex]) => start.startsWith(hex))?.[1] ?? 'application/octet-stream';
}
