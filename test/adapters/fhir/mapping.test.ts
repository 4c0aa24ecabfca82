import { describe, expect, test } from '@jest/globals';
import { toModality } from '../../../adapters/fhir/appointments/read.ts';
import { isWithin, toInstant } from '../../../adapters/fhir/datatypes/dates.ts';
import { toCoverage } from '../../../adapters/fhir/insurance/read.ts';
import { formatWorkingHours } from '../../../adapters/fhir/practitioners/working-hours.ts';
import { resources } from '../../../adapters/fhir/schema/resources.ts';
import { toChangeStatus, toTicketStatus } from '../../../adapters/fhir/schema/terminology.ts';
import { toAnswer, toResponseItems, toTicketFields } from '../../../adapters/fhir/tickets/answers.ts';
import { flattenItems, toFieldType } from '../../../adapters/fhir/tickets/types.ts';
import { Zone } from '../../../adapters/zone.ts';

const zone = new Zone('America/Argentina/Buenos_Aires');
const now = '2026-11-21T12:00:00.000Z';

describe('a moment', () => {
  test.each([
    ['2023-08-23T17:45:00-03:00', '2023-08-23T20:45:00.000Z'],
    ['2023-08-23', '2023-08-23T03:00:00.000Z'],
    ['2023-08', '2023-08-01T03:00:00.000Z'],
    ['2023', '2023-01-01T03:00:00.000Z'],
  ])('of %s is %s', (text, moment) => {
    expect(toInstant(text, zone)).toBe(moment);
  });
});

describe('a period', () => {
  test.each([
    [undefined, true],
    [{ start: '2021-03-01' }, true],
    [{ start: '2026-11-22' }, false],
    [{ end: '2026-11-21' }, true],
    [{ end: '2026-11-20' }, false],
    [{ end: '2026-11' }, true],
    [{ end: '2025' }, false],
    [{ end: '2026-11-21T08:00:00-03:00' }, false],
    [{ start: '2026-11-21T09:00:00-03:00', end: '2026-11-21T09:01:00-03:00' }, true],
  ])('%j holds the present moment: %s', (period, expected) => {
    expect(isWithin(period, now, zone)).toBe(expected);
  });
});

describe('a coverage', () => {
  const coverage = (rest: object) =>
    resources.Coverage.parse({
      resourceType: 'Coverage',
      id: 'c',
      status: 'active',
      beneficiary: { reference: 'Patient/p' },
      ...rest,
    });
  const mapped = (rest: object) => toCoverage(coverage(rest), undefined, now, zone);
  const planClass = (rest: object) => ({
    type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/coverage-class', code: 'plan' }] },
    ...rest,
  });

  test('has the words of its payor, its class and its credential', () => {
    const payor = [{ reference: 'Organization/o', display: 'OSDE' }];
    const shown = mapped({ payor, class: [planClass({ value: 'osde-210', name: '210' })], subscriberId: '123' });
    expect(shown).toEqual({
      id: 'c',
      patientId: 'p',
      planId: 'osde-210',
      carrier: 'OSDE',
      plan: '210',
      credentialNumber: '123',
      active: true,
    });
  });

  test('of the patient’s own purse is PARTICULAR', () => {
    expect(mapped({ payor: [{ reference: 'Patient/p' }] }).carrier).toBe('PARTICULAR');
  });

  test('that is over or canceled is inactive', () => {
    expect(mapped({ period: { end: '2026-11-20' } }).active).toBe(false);
    expect(mapped({ status: 'cancelled' }).active).toBe(false);
  });

  test('names its plan in the best words that it has', () => {
    expect(mapped({ class: [planClass({ value: '210' })] }).plan).toBe('210');
    expect(mapped({ type: { text: 'Plan joven' } }).plan).toBe('Plan joven');
  });
});

describe('working hours', () => {
  const time = (daysOfWeek: string[], from: string, until: string) => ({
    daysOfWeek,
    availableStartTime: `${from}:00`,
    availableEndTime: `${until}:00`,
  });
  const role = (rest: object) =>
    resources.PractitionerRole.parse({ resourceType: 'PractitionerRole', id: 'r', ...rest });

  test('group the days of equal hours', () => {
    const availableTime = [
      time(['mon', 'tue', 'wed', 'thu', 'fri'], '09:00', '12:00'),
      time(['tue', 'thu'], '15:00', '18:00'),
      time(['sat', 'sun'], '10:00', '11:00'),
    ];
    expect(formatWorkingHours([role({ availableTime })])).toBe(
      'Lun-Vie: 09:00-12:00; Mar, Jue: 15:00-18:00; Sáb, Dom: 10:00-11:00',
    );
  });

  test('know the whole day, every day, and exceptions in words', () => {
    const availableTime = [
      { daysOfWeek: ['mon'], allDay: true },
      { availableStartTime: '08:00:00', availableEndTime: '09:00:00' },
    ];
    expect(formatWorkingHours([role({ availableTime, availabilityExceptions: 'No en enero.' })])).toBe(
      'Lun: 24h; Lun-Dom: 08:00-09:00; No en enero.',
    );
    expect(formatWorkingHours([role({})])).toBe('');
  });
});

describe('the status of a ticket', () => {
  test.each([
    ['completed', 'completed'],
    ['rejected', 'rejected'],
    ['failed', 'rejected'],
    ['cancelled', 'canceled'],
    ['entered-in-error', 'canceled'],
    ['requested', 'pending'],
    ['ready', 'pending'],
    ['in-progress', 'in_progress'],
    ['on-hold', 'in_progress'],
  ])('%s is %s', (status, expected) => {
    expect(toTicketStatus(status)).toBe(expected);
    expect(toChangeStatus(status)).toBe(expected === 'pending' ? 'in_progress' : expected);
  });
});

describe('the modality', () => {
  const category = (code: string) => [
    { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code }] },
  ];

  test('is virtual, in person, or not said', () => {
    expect(toModality(category('VR'))).toBe('virtual');
    expect(toModality(category('AMB'))).toBe('in-person');
    expect(toModality([{ text: 'x' }])).toBeUndefined();
    expect(toModality(undefined)).toBeUndefined();
  });
});

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
