import { createHash } from 'node:crypto';
import type { Axios } from 'axios';
import { badAnswer, getCauseCode, TOO_LARGE, toNetworkFailure } from '../../../src/http-client/failures.ts';
import {
  type Call,
  Failure,
  idPattern,
  type NewTicket,
  type TicketField,
  type TicketFieldType,
  type TicketType,
  type TicketTypeField,
} from '../../../src/ports/index.ts';
import type { FhirContext } from '../context.ts';
import { type FhirAttachment, findExtension, type QuestionAnswer, type ResponseItem } from '../schema/datatypes.ts';
import { toInstant } from '../schema/read.ts';
import type { QuestionnaireItem, Resource } from '../schema/resources.ts';
import { type Codes, hl7 } from '../schema/terminology.ts';
import { startLastLook } from '../writes.ts';

/** Reads the content of an attachment in base64; empty when it cannot be had. */
export type FileReader = (attachment: FhirAttachment) => Promise<string>;

/** What was answered, in the order of the answers. */
export async function toTicketFields(
  items: readonly ResponseItem[] | undefined,
  questions: readonly QuestionnaireItem[],
  readFile: FileReader,
  codes: Codes,
): Promise<TicketField[]> {
  const fields = flattenAnswers(items).map(async ({ linkId, text, answer }) => {
    const question = questions.find((each) => each.linkId === linkId);
    const { valueAttachment: file } = answer;
    return {
      id: linkId,
      dataType: file ? ('file' as const) : ('string' as const),
      value: file ? await readFile(file) : formatAnswer(answer, codes),
      tooltip: question ? getTooltip(question) : (text ?? ''),
    };
  });
  return Promise.all(fields);
}

const flattenAnswers = (
  items: readonly ResponseItem[] | undefined,
): { linkId: string; text: string | undefined; answer: QuestionAnswer }[] =>
  (items ?? []).flatMap(({ linkId, text, answer = [], item }) => [
    ...answer.flatMap((each) => [{ linkId, text, answer: each }, ...flattenAnswers(each.item)]),
    ...flattenAnswers(item),
  ]);

function formatAnswer(answer: QuestionAnswer, codes: Codes): string {
  const { valueCoding, valueQuantity: { value: amount, unit } = {} } = answer;
  const value =
    findExtension(answer, codes.extension('number-as-text'))?.valueString ??
    answer.valueString ??
    answer.valueDecimal ??
    answer.valueInteger ??
    answer.valueBoolean ??
    answer.valueDate ??
    answer.valueDateTime ??
    answer.valueTime ??
    answer.valueUri ??
    valueCoding?.display ??
    valueCoding?.code ??
    (unit === undefined ? amount : `${amount ?? ''} ${unit}`.trim()) ??
    answer.valueReference?.display;
  return value === undefined ? '' : String(value);
}

/** The answer that holds a value, other than a file, for an item of this type. */
export function toAnswer(value: string, type: TicketFieldType, itemType: string, codes: Codes): QuestionAnswer {
  if (type === 'boolean') return { valueBoolean: value === 'true' };
  if (type === 'number') {
    const number = Number(value);
    // JSON has no `12.50` beside `12.5`.
    const text = { url: codes.extension('number-as-text'), valueString: value };
    return {
      ...(String(number) !== value && { extension: [text] }),
      // An integer has 32 bits.
      ...(itemType === 'integer' && (number | 0) === number ? { valueInteger: number } : { valueDecimal: number }),
    };
  }
  if (type === 'date') return itemType === 'dateTime' ? { valueDateTime: value } : { valueDate: value };
  return itemType === 'choice' || itemType === 'open-choice'
    ? { valueCoding: { display: value } }
    : { valueString: value };
}

/** The items of the response: answers in the same groups as their questions. */
export function toResponseItems(
  items: readonly QuestionnaireItem[] | undefined,
  answers: ReadonlyMap<string, QuestionAnswer>,
): ResponseItem[] {
  return (items ?? []).flatMap(({ linkId, item }) => {
    const answer = answers.get(linkId);
    const below = toResponseItems(item, answers);
    if (!answer && below.length === 0) return [];
    return { linkId, ...(answer && { answer: [answer] }), ...(below.length > 0 && { item: below }) };
  });
}

const PARALLEL = 4;

/** The first bytes of the kinds of files that people attach to tickets. */
const signatures: readonly (readonly [hex: string, contentType: string])[] = [
  ['25504446', 'application/pdf'],
  ['89504e47', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['47494638', 'image/gif'],
];

/** The files of tickets, each in a `Binary` of its own, since servers limit the size of bundles. */
export type TicketFiles = ReturnType<typeof createTicketFiles>;

/** @param elsewhere sends neither credentials nor a client certificate, because links to files carry their own. */
export function createTicketFiles({ client, codes, settings }: FhirContext, elsewhere: Axios) {
  return { createReader, store, discard };

  /**
   * Creates the reader for the files of one answer: as many as the limit of its bytes allows, those that are asked for first before
   * others, however fast they come. The content of a file that cannot be had is '', and the call is told of it.
   * @param known the content that is known already, by the URL of its attachment.
   */
  function createReader(call: Call, known: ReadonlyMap<string, Uint8Array> = new Map()): FileReader {
    const { inline, bytes: limit } = settings.ticketFiles;
    let budget = limit;
    const lanes = Array.from<unknown, Promise<unknown>>({ length: PARALLEL }, () => Promise.resolve());
    let turn = 0;
    /** Done when it is known of all that were asked for before whether they fit. */
    let before: Promise<unknown> = Promise.resolve();
    const leaveOut = () => {
      call.omit({ resourceType: 'Binary', element: 'data' });
      return '';
    };
    return async (attachment) => {
      const { url = '', size = 0, data, _data } = attachment;
      // Without data and url there is no file, as FHIR says; data may be elsewhere, as an extension tells.
      if (!inline || (url === '' && (data ?? _data) === undefined)) return '';
      if (data !== undefined) return isAsSaid(Buffer.from(data, 'base64'), attachment) ? data : leaveOut();
      const lane = turn++ % PARALLEL;
      // What does not fit now will not fit later.
      const fetched = (lanes[lane] ?? before).then(async () =>
        budget <= 0 || size > budget ? undefined : (known.get(url) ?? (await fetchFile(url, call))),
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

  /** Turns the values into answers and uploads files; when one cannot be stored, those before it are discarded. */
  async function store(type: Resource<'Questionnaire'>, fields: NewTicket['fields'], call: Call) {
    const items = new Map(flattenItems(type.item).map((item) => [item.linkId, item]));
    const answers = new Map<string, QuestionAnswer>();
    const uploaded: string[] = [];
    const contents = new Map<string, Uint8Array>();
    try {
      for (const [index, { id, value }] of fields.entries()) {
        const item = items.get(id);
        if (!item) throw new Failure('invalid', 'is not a field of this ticket type', { at: `fields/${index}/id` });
        if (toFieldType(item) !== 'file') {
          answers.set(id, toAnswer(value, toFieldType(item), item.type, codes));
          continue;
        }
        const bytes = Buffer.from(value, 'base64');
        const contentType = detectContentType(bytes);
        const binary = await upload(bytes, contentType, call);
        uploaded.push(binary);
        const url = `Binary/${binary}`;
        contents.set(url, bytes);
        answers.set(id, { valueAttachment: { contentType, url, size: bytes.length } });
      }
    } catch (error) {
      await discard(uploaded, call);
      throw error;
    }
    return { answers, uploaded, contents };
  }

  /** Removes files that no ticket refers to, also after the call has ended; one that cannot be removed now stays. */
  async function discard(ids: readonly string[], ended: Call): Promise<void> {
    const call = startLastLook(ended);
    await Promise.allSettled(ids.map((id) => client.remove('Binary', id, call)));
  }

  /** @throws Failure unavailable or timeout when the answer is uncertain: without its files no ticket is opened. */
  async function upload(bytes: Uint8Array, contentType: string, call: Call): Promise<string> {
    try {
      return await client.upload(bytes, contentType, call);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'outcome_unknown') throw error;
      const kind = call.signal.aborted ? 'timeout' : 'unavailable';
      throw new Failure(kind, 'whether the file was stored is unknown', { cause: error.cause });
    }
  }

  /** Of the server only a `Binary` is a file: whoever writes a link must not choose what else is read with our rights. */
  async function fetchFile(url: string, call: Call): Promise<Uint8Array | undefined> {
    const { baseUrl, ticketFiles } = settings;
    const base = `${baseUrl.replace(/\/+$/, '')}/`;
    const [, id, version] = url.match(/^Binary\/([^/]+)(?:\/_history\/([^/]+))?$/) ?? [];
    if (id !== undefined) {
      return client.download(id, call, version).catch(createRefusalHandler([401, 408, 429]));
    }
    const { origin, href } = URL.canParse(url) ? new URL(url) : {};
    const isTrusted = ticketFiles.origins.some((each) => new URL(each).origin === origin);
    if (href === undefined || !isTrusted || href.startsWith(new URL(base).href)) return undefined;
    return fetchElsewhere(href, call).catch(createRefusalHandler([408, 429]));
  }

  async function fetchElsewhere(url: string, call: Call): Promise<Uint8Array | undefined> {
    try {
      const { status, data } = await elsewhere.request<Uint8Array>({ method: 'GET', url, signal: call.signal });
      if (status === 404 || status === 410) return undefined;
      if (status !== 200) throw badAnswer(`HTTP_${status}`);
      return data;
    } catch (error) {
      throw toNetworkFailure(error, false);
    }
  }
}

/** Length of a SHA-1, which R4 demands; some servers write another hash, or a hexadecimal one. */
const SHA1_BYTES = 20;

/** Whether these are the bytes that the attachment describes; some servers say the size in base64. No bytes are no file. */
export function isAsSaid(bytes: Uint8Array, { size, hash = '' }: FhirAttachment): boolean {
  if (bytes.length === 0) return size === 0;
  const wanted = Buffer.from(hash, 'base64');
  if (wanted.length === SHA1_BYTES) return createHash('sha1').update(bytes).digest().equals(wanted);
  return size === undefined || size === bytes.length || size === Math.ceil(bytes.length / 3) * 4;
}

/** Takes a file that is refused, unless by one of these statuses, or that is too large for one that is not there. */
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

type Questionnaire = Resource<'Questionnaire'>;

/** The items that can be answered, those in groups too, in the order of the form. */
export const flattenItems = (items: readonly QuestionnaireItem[] | undefined): QuestionnaireItem[] =>
  (items ?? []).flatMap((item) => [
    ...(item.type === 'group' || item.type === 'display' ? [] : [item]),
    ...flattenItems(item.item),
  ]);

const fieldTypes: Readonly<Record<string, TicketFieldType>> = {
  date: 'date',
  dateTime: 'date',
  attachment: 'file',
  integer: 'number',
  decimal: 'number',
  quantity: 'number',
  boolean: 'boolean',
};

export const toFieldType = ({ type }: Pick<QuestionnaireItem, 'type'>): TicketFieldType => fieldTypes[type] ?? 'string';

/** What tells a person how to fill in the field. */
const getTooltip = (item: QuestionnaireItem | undefined): string =>
  findExtension(item, hl7.entryFormat)?.valueString ?? item?.text ?? '';

const toField = (item: QuestionnaireItem): TicketTypeField => ({
  id: item.linkId,
  type: toFieldType(item),
  tooltip: getTooltip(item),
  validationRegex: findExtension(item, hl7.regex)?.valueString ?? '',
});

/** @throws Failure bad_answer when callers could not name a field. */
export function toTicketType(questionnaire: Questionnaire, { codes, zone }: FhirContext): TicketType {
  const { id, status, title = '', description = '', date, meta } = questionnaire;
  const created = findExtension(questionnaire, codes.extension('created-at'))?.valueDateTime;
  const items = flattenItems(questionnaire.item);
  if (!items.every(({ linkId }) => idPattern.test(linkId))) throw badAnswer('bad_link_id', 'Questionnaire/item/linkId');
  const updated = meta?.lastUpdated ?? date ?? '1970-01-01';
  return {
    id,
    createdAt: toInstant(created ?? date ?? updated, zone),
    updatedAt: toInstant(updated, zone),
    status: status === 'active' ? 'active' : 'inactive',
    title,
    description,
    fields: items.map(toField),
  };
}

/** The id of the ticket’s type, which its response names by the canonical URL of the questionnaire or by its id; empty without one. */
export function findTicketTypeId(
  task: Resource<'Task'>,
  response: Resource<'QuestionnaireResponse'> | undefined,
  types: readonly Questionnaire[],
): string {
  const [canonical = ''] = (response?.questionnaire ?? task.instantiatesCanonical ?? '').split('|');
  const last = canonical.split('/').at(-1) ?? '';
  return types.find(({ url }) => url !== undefined && url === canonical)?.id ?? (idPattern.test(last) ? last : '');
}
