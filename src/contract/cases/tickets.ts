import assert from 'node:assert/strict';
import { registerPatient } from '../arrange.ts';
import type { Case, Claim } from '../case.ts';
import { toDay } from '../days.ts';
import { expectFault, expectProblem, getBody } from '../expect.ts';
import type { Request, Subject } from '../subject.ts';

interface TicketType {
  readonly id: string;
  readonly status: string;
  readonly fields: readonly { readonly id: string; readonly tooltip: string }[];
}

interface Ticket {
  readonly uid: string;
  readonly createdAt: string;
  readonly status: string;
  readonly ticket_type_id: string;
  readonly observations: string;
  readonly fields: readonly object[];
}

type Value = { readonly id: string; readonly value: string };

const list = (subject: Subject, id: string, query: Readonly<Record<string, string>> = {}): Promise<Ticket[]> =>
  getBody(subject, { route: 'GET /patients/{id}/ticket/', params: { id }, query });

const types = (subject: Subject): Promise<TicketType[]> => getBody(subject, { route: 'GET /ticket_types' });

const opening = (id: string, type: string, fields: readonly Value[] = [], observations = ''): Request => ({
  route: 'POST /patients/{id}/ticket_type/{ticket_type_id}/ticket',
  params: { id, ticket_type_id: type },
  body: { observations, fields },
});

const open = (subject: Subject, id: string, fields: readonly Value[] = [], observations = '') =>
  getBody(subject, opening(id, subject.fixtures.ticketType.id, fields, observations), 201);

/** Days before or after a day. */
const shift = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

const opens = {
  level: 'write',
  needs: 'tickets.open',
  requires: ['tickets.type', 'tickets.list', 'patients.register'],
  section: '4.A',
} as const satisfies Claim;
const lists = {
  ...opens,
  needs: 'tickets.list',
  requires: ['tickets.open', 'tickets.type', 'patients.register'],
} as const satisfies Claim;

/** Filing is refused at that place, and nothing is filed. */
async function refuses(subject: Subject, type: string, fields: readonly Value[], place: string): Promise<void> {
  const id = await registerPatient(subject);
  await expectFault(subject, opening(id, type, fields), place);
  assert.deepEqual(await list(subject, id), []);
}

export const ticketCases: readonly Case[] = [
  {
    id: 'tickets.types.active',
    title: 'the ticket types are those that can be filed now',
    level: 'safe',
    needs: 'tickets.types',
    section: '4.A',
    run: async (subject) => {
      const listed = await types(subject);
      assert.deepEqual([...new Set(listed.map(({ status }) => status))], ['active']);
      const ids = listed.map(({ id }) => id);
      assert.ok(ids.includes(subject.fixtures.ticketType.id));
      assert.ok(!ids.includes(subject.fixtures.inactiveTicketType));
    },
  },
  {
    ...opens,
    requires: [...opens.requires, 'tickets.types'],
    id: 'tickets.open.read-back',
    title: 'open files a ticket with its observations, its fields and the tooltips of their type',
    run: async (subject) => {
      const { id: type, checked, date } = subject.fixtures.ticketType;
      const id = await registerPatient(subject);
      assert.deepEqual(await list(subject, id), []);
      const before = subject.now();
      await open(
        subject,
        id,
        [
          { id: checked.id, value: checked.fits },
          { id: date, value: '2026-02-28' },
        ],
        'Por favor',
      );
      const [ticket, ...others] = await list(subject, id);
      assert.deepEqual(others, []);
      assert.equal(ticket?.ticket_type_id, type);
      assert.equal(ticket.observations, 'Por favor');
      const known = (await types(subject)).find((other) => other.id === type)?.fields ?? [];
      const tooltip = (field: string) => known.find((other) => other.id === field)?.tooltip;
      assert.deepEqual(ticket.fields, [
        { id: checked.id, dataType: 'string', value: checked.fits, tooltip: tooltip(checked.id) },
        { id: date, dataType: 'string', value: '2026-02-28', tooltip: tooltip(date) },
      ]);
      const age = Math.abs(Date.parse(ticket.createdAt) - before.getTime());
      assert.ok(age < 300_000, 'createdAt is minutes away from the moment of filing');
    },
  },
  {
    ...opens,
    id: 'tickets.open.inactive',
    title: 'open answers 404 for a type that is not active',
    run: async (subject) => {
      const id = await registerPatient(subject);
      await expectProblem(subject, opening(id, subject.fixtures.inactiveTicketType), 404, 'not_found');
      assert.deepEqual(await list(subject, id), []);
    },
  },
  {
    ...opens,
    id: 'tickets.open.pattern',
    title: 'open refuses a value that does not match the regular expression as a whole',
    run: async (subject) => {
      const { id: type, checked } = subject.fixtures.ticketType;
      await refuses(subject, type, [{ id: checked.id, value: checked.misfit }], 'body /fields/0/value');
      const partly = `${checked.fits}\n${checked.misfit}`;
      await refuses(subject, type, [{ id: checked.id, value: partly }], 'body /fields/0/value');
    },
  },
  {
    ...opens,
    id: 'tickets.open.types',
    title: 'open refuses a value that is not of the type of its field',
    run: async (subject) => {
      const { ticketType, typedTicketType: typed } = subject.fixtures;
      await refuses(subject, ticketType.id, [{ id: ticketType.date, value: '2026-02-30' }], 'body /fields/0/value');
      await refuses(subject, typed.id, [{ id: typed.number, value: 'tres' }], 'body /fields/0/value');
      await refuses(subject, typed.id, [{ id: typed.boolean, value: 'quizás' }], 'body /fields/0/value');
      await refuses(subject, typed.id, [{ id: typed.file, value: 'not base64!' }], 'body /fields/0/value');
    },
  },
  {
    ...opens,
    id: 'tickets.open.typed',
    title: 'open takes a file, a number and a truth value, and shows the file again',
    run: async (subject) => {
      const { id: type, file, number, boolean } = subject.fixtures.typedTicketType;
      const id = await registerPatient(subject);
      const content = Buffer.from('%PDF-1.7 orden').toString('base64');
      const fields = [
        { id: file, value: content },
        { id: number, value: '3' },
        { id: boolean, value: 'true' },
      ];
      await getBody(subject, opening(id, type, fields), 201);
      const [ticket] = await list(subject, id);
      const shown = (ticket?.fields ?? []) as (Value & { dataType: string })[];
      assert.deepEqual(
        shown.map(({ id, dataType, value }) => ({ id, dataType, value })),
        fields.map((field) => ({ ...field, dataType: field.id === file ? 'file' : 'string' })),
      );
    },
  },
  {
    ...opens,
    id: 'tickets.open.large-file',
    title: 'open takes a file of 7 MiB, and refuses one byte more',
    run: async (subject) => {
      const { id: type, file } = subject.fixtures.typedTicketType;
      const largest = 7 * 1024 * 1024;
      const content = (size: number) => [{ id: file, value: Buffer.alloc(size).toString('base64') }];
      await refuses(subject, type, content(largest + 1), 'body /fields/0/value');
      const id = await registerPatient(subject);
      await getBody(subject, opening(id, type, content(largest)), 201);
      assert.equal((await list(subject, id)).length, 1);
    },
  },
  {
    ...opens,
    id: 'tickets.open.strange-field',
    title: 'open refuses a field that the type does not have, and one that stands twice',
    run: async (subject) => {
      const { id: type, checked } = subject.fixtures.ticketType;
      const field = { id: checked.id, value: checked.fits };
      await refuses(subject, type, [field, { id: subject.fixtures.unknown, value: '' }], 'body /fields/1/id');
      await refuses(subject, type, [field, field], 'body /fields/1/id');
    },
  },
  {
    ...opens,
    id: 'tickets.open.faults',
    title: 'open names every value that does not fit, not only the first',
    run: async (subject) => {
      const { id: type, checked, date } = subject.fixtures.ticketType;
      const fields = [
        { id: checked.id, value: checked.misfit },
        { id: date, value: 'ayer' },
      ];
      await refuses(subject, type, fields, 'body /fields/0/value');
      await refuses(subject, type, fields, 'body /fields/1/value');
    },
  },
  {
    ...lists,
    requires: ['patients.register'],
    id: 'tickets.list.none',
    title: 'list answers an empty list for a patient without tickets',
    run: async (subject) => {
      assert.deepEqual(await list(subject, await registerPatient(subject)), []);
      assert.deepEqual(await list(subject, subject.fixtures.patients.bare), []);
    },
  },
  {
    ...lists,
    id: 'tickets.list.order',
    title: 'list shows the newest ticket first',
    run: async (subject) => {
      const id = await registerPatient(subject);
      for (const observations of ['primero', 'segundo', 'tercero']) {
        await open(subject, id, [], observations);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      const listed = (await list(subject, id)).map(({ observations }) => observations);
      assert.deepEqual(listed, ['tercero', 'segundo', 'primero']);
    },
  },
  {
    ...lists,
    id: 'tickets.list.type',
    title: 'list narrows by the type of the ticket',
    run: async (subject) => {
      const id = await registerPatient(subject);
      const { ticketType, typedTicketType } = subject.fixtures;
      await open(subject, id);
      await getBody(subject, opening(id, typedTicketType.id), 201);
      assert.equal((await list(subject, id)).length, 2);
      const narrowed = await list(subject, id, { ticket_type_id: ticketType.id });
      assert.deepEqual(
        narrowed.map((ticket) => ticket.ticket_type_id),
        [ticketType.id],
      );
      assert.deepEqual(await list(subject, id, { ticket_type_id: subject.fixtures.unknown }), []);
    },
  },
  {
    ...lists,
    id: 'tickets.list.status',
    title: 'list narrows by status',
    run: async (subject) => {
      const id = await registerPatient(subject);
      await open(subject, id);
      const [ticket] = await list(subject, id);
      assert.ok(ticket);
      assert.equal((await list(subject, id, { status: ticket.status })).length, 1);
      assert.deepEqual(await list(subject, id, { status: 'nonesuch' }), []);
    },
  },
  {
    ...lists,
    id: 'tickets.list.days',
    title: 'list narrows by days of the institution’s zone, both included',
    run: async (subject) => {
      const id = await registerPatient(subject);
      await open(subject, id);
      const [ticket] = await list(subject, id);
      assert.ok(ticket);
      const day = toDay(subject, ticket.createdAt);
      const between = async (start_date: string, end_date: string) =>
        (await list(subject, id, { start_date, end_date })).length;
      assert.equal(await between(day, day), 1);
      assert.equal(await between(shift(day, 1), shift(day, 9)), 0);
      assert.equal(await between(shift(day, -9), shift(day, -1)), 0);
      assert.equal((await list(subject, id, { start_date: shift(day, 1) })).length, 0);
      assert.equal((await list(subject, id, { end_date: shift(day, -1) })).length, 0);
    },
  },
  {
    ...lists,
    level: 'safe',
    requires: [],
    id: 'tickets.list.backwards',
    title: 'list refuses an end date before the start date',
    run: async (subject) => {
      const params = { id: subject.fixtures.patients.complete };
      const query = { start_date: '2026-03-02', end_date: '2026-03-01' };
      await expectFault(subject, { route: 'GET /patients/{id}/ticket/', params, query }, 'query /end_date');
    },
  },
];
