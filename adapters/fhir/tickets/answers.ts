import { badAnswer } from '../../../src/http-client/failures.ts';
import {
  idPattern,
  type TicketField,
  type TicketFieldType,
  type TicketType,
  type TicketTypeField,
} from '../../../src/ports/index.ts';
import type { FhirContext } from '../context.ts';
import {
  compareAge,
  type FhirAttachment,
  findExtension,
  type QuestionAnswer,
  type ResponseItem,
} from '../schema/datatypes.ts';
import { toInstant } from '../schema/read.ts';
import type { QuestionnaireItem, Resource } from '../schema/resources.ts';
import { type Codes, hl7 } from '../schema/terminology.ts';

/** Reads the content of an attachment as base64. Empty if it is unavailable. */
export type FileReader = (attachment: FhirAttachment) => Promise<string>;

/** The answers as fields, in their order. */
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

/** Creates the answer with a value other than a file, for an item of this type. */
export function toAnswer(value: string, type: TicketFieldType, itemType: string, codes: Codes): QuestionAnswer {
  if (type === 'boolean') return { valueBoolean: value === 'true' };
  if (type === 'number') {
    const number = Number(value);
    // JSON cannot distinguish `12.50` from `12.5`.
    const text = { url: codes.extension('number-as-text'), valueString: value };
    return {
      ...(String(number) !== value && { extension: [text] }),
      ...toNumberValue(number, itemType),
    };
  }
  if (type === 'date') return itemType === 'dateTime' ? { valueDateTime: value } : { valueDate: value };
  if (itemType === 'choice' || itemType === 'open-choice') return { valueCoding: { display: value } };
  if (itemType === 'time' && isTime(value)) return { valueTime: value };
  if (itemType === 'url' && !/\s/.test(value)) return { valueUri: value };
  return itemType === 'reference' ? { valueReference: { display: value } } : { valueString: value };
}

function toNumberValue(number: number, itemType: string): QuestionAnswer {
  if (itemType === 'quantity') return { valueQuantity: { value: number } };
  // An integer has 32 bits.
  return itemType === 'integer' && (number | 0) === number ? { valueInteger: number } : { valueDecimal: number };
}

/** FHIR requires the seconds of a time. */
const isTime = (value: string): boolean => /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/.test(value);

/** Creates the items of the response: answers in the groups of their questions. */
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

type Questionnaire = Resource<'Questionnaire'>;

/** The items that can be answered, including those in groups, in the order of the form. */
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

/** The help text of the field. */
const getTooltip = (item: QuestionnaireItem | undefined): string =>
  findExtension(item, hl7.entryFormat)?.valueString ?? item?.text ?? '';

const toField = (item: QuestionnaireItem): TicketTypeField => ({
  id: item.linkId,
  type: toFieldType(item),
  tooltip: getTooltip(item),
  validationRegex: findExtension(item, hl7.regex)?.valueString ?? '',
});

/** @throws Failure bad_answer when a field has no usable id. */
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

/** The id of the ticket's type. Its response has the questionnaire's canonical URL or id. Empty without one. */
export function findTicketTypeId(
  task: Resource<'Task'>,
  response: Resource<'QuestionnaireResponse'> | undefined,
  types: readonly Questionnaire[],
): string {
  const [canonical = '', version] = (response?.questionnaire ?? task.instantiatesCanonical ?? '').split('|');
  const last = canonical.split('/').at(-1) ?? '';
  // Without a version, the canonical URL names the current one (R4, References, 2.3.0.2).
  const rank = (type: Questionnaire) => Number(type.version === version) * 2 + Number(type.status === 'active');
  const [type] = types
    .filter(({ url }) => url !== undefined && url === canonical)
    .toSorted((a, b) => rank(b) - rank(a) || compareAge(b, a));
  return type?.id ?? (idPattern.test(last) ? last : '');
}
