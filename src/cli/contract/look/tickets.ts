import { z } from 'zod';
import type { ApiReader } from './api-reader.ts';
import type { FoundFixtures } from './found-fixtures.ts';

const fieldBody = z.object({ id: z.string(), type: z.string(), validationRegex: z.string() });
const typeBody = z.object({ id: z.string(), status: z.string(), fields: z.array(fieldBody) });
const reasonBody = z.object({ id: z.string(), status: z.string() });

/** Texts of which most patterns take some and not others. */
const samples = [
  'Ibuprofeno 400 mg',
  'texto',
  'ABC',
  'abc123',
  '123',
  '12345678',
  '2026-01-31',
  'a@example.org',
  '$%&!',
];

/** Finds types of tickets whose fields the contract can fill in, and a reason to ask for another practitioner. */
export async function lookForTickets(reader: ApiReader, findings: FoundFixtures): Promise<void> {
  const types = await reader.list(typeBody, undefined, { route: 'GET /ticket_types' });
  const usable = types.flatMap((type) => {
    const checked = type.fields.map(toChecked).find((field) => field !== undefined);
    const date = type.fields.find((field) => field.type === 'date')?.id;
    return checked && date !== undefined ? [{ id: type.id, checked, date }] : [];
  });
  const typed = types.flatMap(({ id, fields }) => {
    const find = (type: string) => fields.find((field) => field.type === type)?.id;
    const found = { file: find('file'), number: find('number'), boolean: find('boolean') };
    return Object.values(found).includes(undefined) ? [] : [{ id, ...found }];
  });
  findings.add('ticketType', usable[0]);
  findings.add('typedTicketType', typed[0]);
  findings.add('inactiveTicketType', types.find(({ status }) => status !== 'active')?.id);
  const reasons = await reader.list(reasonBody, undefined, { route: 'GET /practitioner/change_request/reasons' });
  findings.add('changeReason', (reasons.find(({ status }) => status === 'active') ?? reasons[0])?.id);
}

/** A text field, with one text that it takes and one that it does not. */
function toChecked({ id, type, validationRegex }: z.infer<typeof fieldBody>) {
  const pattern = type === 'string' && validationRegex !== '' ? compile(validationRegex) : undefined;
  const fits = samples.find((sample) => pattern?.test(sample));
  const misfit = samples.findLast((sample) => pattern && !pattern.test(sample));
  return fits === undefined || misfit === undefined ? undefined : { id, fits, misfit };
}

function compile(pattern: string): RegExp | undefined {
  try {
    return new RegExp(`^(?:${pattern})$`, 'u');
  } catch {
    return undefined;
  }
}
