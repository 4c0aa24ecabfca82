import { describe, expect, test } from '@jest/globals';
import { toAnswer, toResponseItems, toTicketFields } from '../../../../adapters/fhir/tickets/answers.ts';
import { flattenItems, toFieldType } from '../../../../adapters/fhir/tickets/types.ts';

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
      ['cantidad', toAnswer('3', 'number', 'integer')],
    ]);
    const filled = toResponseItems(items, answers);
    expect(filled).toEqual([
      { linkId: 'group', item: [{ linkId: 'orden', answer: [{ valueAttachment: attachment }] }] },
      { linkId: 'cantidad', answer: [{ valueInteger: 3 }] },
    ]);
    expect(await toTicketFields(filled, flattenItems(items), async ({ url }) => `content of ${url}`)).toEqual([
      { id: 'orden', dataType: 'file', value: 'content of Binary/1', tooltip: 'Foto' },
      { id: 'cantidad', dataType: 'string', value: '3', tooltip: 'Cuántas' },
    ]);
  });

  test.each([
    ['true', 'boolean', 'boolean', { valueBoolean: true }],
    ['false', 'boolean', 'boolean', { valueBoolean: false }],
    ['3', 'number', 'integer', { valueInteger: 3 }],
    ['1.50', 'number', 'decimal', { valueDecimal: 1.5 }],
    ['2026-06-18', 'date', 'date', { valueDate: '2026-06-18' }],
    ['2026-06-18', 'date', 'dateTime', { valueDateTime: '2026-06-18' }],
    ['OSDE', 'string', 'choice', { valueCoding: { display: 'OSDE' } }],
    ['texto', 'string', 'text', { valueString: 'texto' }],
  ] as const)('answers %s to a %s of %s', (value, type, item, answer) => {
    expect(toAnswer(value, type, item)).toEqual(answer);
  });
});
