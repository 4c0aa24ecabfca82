import type { TicketField, TicketFieldType } from '../../../src/ports/index.ts';
import { type Answer, type FhirAttachment, findExtension, type ResponseItem } from '../schema/datatypes.ts';
import type { QuestionnaireItem } from '../schema/resources.ts';
import type { Codes } from '../schema/terminology.ts';
import { getTooltip } from './types.ts';

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
): { linkId: string; text: string | undefined; answer: Answer }[] =>
  (items ?? []).flatMap(({ linkId, text, answer = [], item }) => [
    ...answer.flatMap((each) => [{ linkId, text, answer: each }, ...flattenAnswers(each.item)]),
    ...flattenAnswers(item),
  ]);

function formatAnswer(answer: Answer, codes: Codes): string {
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
export function toAnswer(value: string, type: TicketFieldType, itemType: string, codes: Codes): Answer {
  if (type === 'boolean') return { valueBoolean: value === 'true' };
  if (type === 'number') {
    const number = Number(value);
    // JSON has no `12.50` beside `12.5`.
    const text = { url: codes.extension('number-as-text'), valueString: value };
    return {
      ...(String(number) !== value && { extension: [text] }),
      ...(itemType === 'integer' && fitsInteger(number) ? { valueInteger: number } : { valueDecimal: number }),
    };
  }
  if (type === 'date') return itemType === 'dateTime' ? { valueDateTime: value } : { valueDate: value };
  return itemType === 'choice' || itemType === 'open-choice'
    ? { valueCoding: { display: value } }
    : { valueString: value };
}

/** Whether `valueInteger` can hold it, which has 32 bits. */
const fitsInteger = (number: number): boolean => (number | 0) === number;

/** The items of the response: answers in the same groups as their questions. */
export function toResponseItems(
  items: readonly QuestionnaireItem[] | undefined,
  answers: ReadonlyMap<string, Answer>,
): ResponseItem[] {
  return (items ?? []).flatMap(({ linkId, item }) => {
    const answer = answers.get(linkId);
    const below = toResponseItems(item, answers);
    if (!answer && below.length === 0) return [];
    return { linkId, ...(answer && { answer: [answer] }), ...(below.length > 0 && { item: below }) };
  });
}
