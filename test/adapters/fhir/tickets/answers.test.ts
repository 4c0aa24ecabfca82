import { describe, expect, test } from '@jest/globals';
import type { QuestionAnswer } from '../../../../adapters/fhir/schema/datatypes.ts';
import { Codes } from '../../../../adapters/fhir/schema/terminology.ts';
import {
  flattenItems,
  toAnswer,
  toFieldType,
  toResponseItems,
  toTicketFields,
} from '../../../../adapters/fhir/tickets/answers.ts';
import type { TicketFieldType } from '../../../../src/ports/index.ts';
import { makeSettings } from '../../../support/fhir-adapter.ts';

const codes = new Codes(makeSettings({ url: 'https://fhir.example.org' }));
const read = async (answer: QuestionAnswer): Promise<string | undefined> =>
  (await toTicketFields([{ linkId: 'a', answer: [answer] }], [], async () => '', codes))[0]?.value;
const inDigits = (valueString: string) => ({ url: codes.extension('number-as-text'), valueString });

describe('a ticket', () => {
  const items = [
    { linkId: 'group', type: 'group', text: 'G', item: [{ linkId: 'orden', type: 'attachment', text: 'Foto' }] },
    { linkId: 'cantidad', type: 'integer', text: 'Cuántas' },
    { linkId: 'note', type: 'display', text: 'N' },
  ];

  test('has the fields of groups too, in the order of the form', () => {
    expect(flattenItems(items).map((item) => [item.linkId, toFieldType(item)])).toEqual([
      ['orden', 'file'],
      ['cantidad', 'number'],
    ]);
  });

  test('keeps its answers in the groups of their questions, and reads them back', async () => {
    const attachment = { url: 'Binary/1' };
    const answers = new Map([
      ['orden', { valueAttachment: attachment }],
      ['cantidad', toAnswer('3', 'number', 'integer', codes)],
    ]);
    const filled = toResponseItems(items, answers);
    expect(filled).toEqual([
      { linkId: 'group', item: [{ linkId: 'orden', answer: [{ valueAttachment: attachment }] }] },
      { linkId: 'cantidad', answer: [{ valueInteger: 3 }] },
    ]);
    expect(await toTicketFields(filled, flattenItems(items), async ({ url }) => `content of ${url}`, codes)).toEqual([
      { id: 'orden', dataType: 'file', value: 'content of Binary/1', tooltip: 'Foto' },
      { id: 'cantidad', dataType: 'string', value: '3', tooltip: 'Cuántas' },
    ]);
  });

  test.each<[string, TicketFieldType, string, QuestionAnswer]>([
    ['true', 'boolean', 'boolean', { valueBoolean: true }],
    ['false', 'boolean', 'boolean', { valueBoolean: false }],
    ['3', 'number', 'integer', { valueInteger: 3 }],
    ['1.5', 'number', 'decimal', { valueDecimal: 1.5 }],
    ['1.50', 'number', 'decimal', { extension: [inDigits('1.50')], valueDecimal: 1.5 }],
    ['1.5', 'number', 'integer', { valueDecimal: 1.5 }],
    ['2147483647', 'number', 'integer', { valueInteger: 2147483647 }],
    ['-2147483648', 'number', 'integer', { valueInteger: -2147483648 }],
    ['20314654662', 'number', 'integer', { valueDecimal: 20314654662 }],
    ['2026-06-18', 'date', 'date', { valueDate: '2026-06-18' }],
    ['2026-06-18', 'date', 'dateTime', { valueDateTime: '2026-06-18' }],
    ['OSDE', 'string', 'choice', { valueCoding: { display: 'OSDE' } }],
    ['texto', 'string', 'text', { valueString: 'texto' }],
  ])('answers %s to a %s of %s, and reads it back', async (value, type, item, answer) => {
    expect(toAnswer(value, type, item, codes)).toEqual(answer);
    expect(await read(answer)).toBe(value);
  });

  test.each<[string, string, QuestionAnswer]>([
    ['a time', '09:30:00', { valueTime: '09:30:00' }],
    ['a link', 'https://example.org/orden', { valueUri: 'https://example.org/orden' }],
    ['a choice', 'OSDE', { valueCoding: { code: 'osde', display: 'OSDE' } }],
    ['a choice that has only a code', 'osde', { valueCoding: { code: 'osde' } }],
    ['a quantity', '75 mcg', { valueQuantity: { value: 75, unit: 'mcg' } }],
    ['a quantity without a unit', '75', { valueQuantity: { value: 75 } }],
    ['a unit alone', 'mcg', { valueQuantity: { unit: 'mcg' } }],
    ['another resource, by its name', 'Paz, Clara', { valueReference: { display: 'Paz, Clara' } }],
    ['nothing that can be read', '', {}],
  ])('that another system filed reads %s as %s', async (_, value, answer) => {
    expect(await read(answer)).toBe(value);
  });
});
