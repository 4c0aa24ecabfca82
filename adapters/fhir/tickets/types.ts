import type { TicketFieldType, TicketType, TicketTypeField } from '../../../src/ports/index.ts';
import { badAnswer } from '../../../src/toolkit/http-client/failures.ts';
import type { FhirContext } from '../context.ts';
import { toInstant } from '../datatypes/dates.ts';
import { findExtension } from '../schema/datatypes.ts';
import type { QuestionnaireItem, Resource } from '../schema/resources.ts';
import { hl7 } from '../schema/terminology.ts';

type Questionnaire = Resource<'Questionnaire'>;

/** The items that can be answered, those in groups too, in the order of the form. */
export const flattenItems = (items: readonly QuestionnaireItem[] | undefined): QuestionnaireItem[] =>
  (items ?? []).flatMap((item) => [
    ...(item.type === 'group' || item.type === 'display' ? [] : [item]),
    ...flattenItems(item.item),
  ]);

/** The field type for each item type; any other is a string. */
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
export const getTooltip = (item: QuestionnaireItem | undefined): string =>
  findExtension(item, hl7.entryFormat)?.valueString ?? item?.text ?? '';

const toField = (item: QuestionnaireItem): TicketTypeField => ({
  id: item.linkId,
  type: toFieldType(item),
  tooltip: getTooltip(item),
  validationRegex: findExtension(item, hl7.regex)?.valueString ?? '',
});

/** What callers can send back as the id of a field or a type. */
const isOpaqueId = (text: string): boolean => /^[^\s/\\?#%\p{C}]{1,128}$/u.test(text);

/** @throws Failure bad_answer when callers could not name a field. */
export function toTicketType(questionnaire: Questionnaire, { codes, zone }: FhirContext): TicketType {
  const { id, status, title = '', description = '', date, meta } = questionnaire;
  const created = findExtension(questionnaire, codes.extension('created-at'))?.valueDateTime;
  const items = flattenItems(questionnaire.item);
  if (!items.every(({ linkId }) => isOpaqueId(linkId))) throw badAnswer('bad_link_id', 'Questionnaire/item/linkId');
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
  return types.find(({ url }) => url !== undefined && url === canonical)?.id ?? (isOpaqueId(last) ? last : '');
}
