import assert from 'node:assert/strict';
import { registerPatient, sendFirstTaken, takePatientWith, takeTicketPatient } from '../arrange.ts';
import { type Case, defineCase } from '../case.ts';
import { expectCount, expectFault, expectIds, expectProblem, expectPromised, getBody } from '../expect.ts';
import { toDay, toIds } from '../queries.ts';
import type { TicketBody, TicketTypeBody } from '../resources.ts';
import type { Query, Request, Subject } from '../subject.ts';
import { noneYet, Skipped } from '../thrown.ts';

type FieldValue = { readonly id: string; readonly value: string };

const listTickets = (subject: Subject, id: string, query: Query = {}): Promise<TicketBody[]> =>
  getBody(subject, { route: 'GET /patients/{id}/ticket/', params: { id }, query });

const listTypes = (subject: Subject): Promise<TicketTypeBody[]> => getBody(subject, { route: 'GET /ticket_types' });

const toRequest = (
  id: string,
  type: string,
  fields: readonly FieldValue[] = [],
  observations = 'Por favor',
): Request => ({
  route: 'POST /patients/{id}/ticket_type/{ticket_type_id}/ticket',
  params: { id, ticket_type_id: type },
  body: { observations, fields },
});

const openTicket = (subject: Subject, id: string, observations?: string) => {
  const { id: type, checked } = subject.fixtures.ticketType;
  return getBody(subject, toRequest(id, type, [{ id: checked.id, value: checked.fits }], observations), 201);
};

/** Adds days to a day. A negative number gives an earlier day. */
const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

/**
 * Texts of patients may be this long. A system loses data if it cuts them, or supports neither line breaks nor these
 * characters.
 */
const longText = 'Sé que «ñandú» & <té>\n👩‍⚕️ 𝔷\t'.repeat(200).slice(0, 3_990).concat('\nhasta aquí');

/** For a system that refuses such a long text. A system without these characters gets a plain text. */
const shortText = 'Sé que «ñandú» & <té>\n👩‍⚕️ 𝔷\t hasta aquí';

/** The first bytes of a JPEG, which are not text in any encoding. */
const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10, 0x4a, 0x46, 0x49, 0x46, 0x00, 0x80, 0xc3, 0x28]);

const toUids = (tickets: readonly TicketBody[]): readonly string[] => tickets.map(({ uid }) => uid);

const openBase = { level: 'write', needs: 'tickets.open', requires: ['tickets.type', 'tickets.list'] } as const;
const listBase = { ...openBase, needs: 'tickets.list', requires: ['tickets.open', 'tickets.type'] } as const;

const safeBase = { level: 'safe', needs: 'tickets.list' } as const;

/** Asserts that the subject refuses a ticket at that place and creates none. */
async function expectRefusal(
  subject: Subject,
  type: string,
  fields: readonly FieldValue[],
  place: string,
): Promise<void> {
  const { id, list } = await takePatientWith(subject, listTickets, takeTicketPatient);
  await expectFault(subject, toRequest(id, type, fields), place);
  assert.deepEqual(await list(), []);
}

export const ticketCases: readonly Case[] = [
  defineCase({ level: 'safe', needs: 'tickets.types' }, 'tickets.types.active', {
    title: 'the ticket types are those that can be filed now',
    run: async (subject) => {
      const listed = await listTypes(subject);
      assert.deepEqual([...new Set(listed.map(({ status }) => status))], ['active']);
      const { ticketType, inactiveTicketType } = subject.fixtures;
      expectIds(toIds(listed), 'GET /ticket_types', { has: [ticketType.id], lacks: [inactiveTicketType] });
    },
  }),
  defineCase(openBase, 'tickets.open.read-back', {
    requires: ['tickets.types'],
    title:
      'open creates one ticket with its observations of any length and characters, or refuses them, and with its fields and tooltips in the order of their type',
    run: async (subject) => {
      const { id: type, checked, date } = subject.fixtures.ticketType;
      const { id, list } = await takePatientWith(subject, listTickets, takeTicketPatient);
      assert.deepEqual(await list(), []);
      const before = subject.now();
      const day = { id: date, value: '2026-02-28' };
      const values = [day, { id: checked.id, value: checked.fits }];
      const { value: given } = await sendFirstTaken(
        subject,
        [longText, shortText, 'Por favor'],
        'body /observations',
        (text) => toRequest(id, type, values, text),
      );
      const [ticket, ...others] = await list();
      assert.deepEqual(others, []);
      assert.equal(ticket?.ticket_type_id, type);
      assert.equal(ticket.observations, given);
      const known = (await listTypes(subject)).find((other) => other.id === type)?.fields ?? [];
      const findTooltip = (field: string) => known.find((other) => other.id === field)?.tooltip;
      assert.deepEqual(ticket.fields, [
        { id: checked.id, dataType: 'string', value: checked.fits, tooltip: findTooltip(checked.id) },
        { id: date, dataType: 'string', value: '2026-02-28', tooltip: findTooltip(date) },
      ]);
      const age = Math.abs(Date.parse(ticket.createdAt) - before.getTime());
      assert.ok(age < 300_000, 'createdAt is minutes away from the moment of filing');
    },
  }),
  defineCase(openBase, 'tickets.open.inactive', {
    title: 'open answers 404 for a type that is not active',
    run: async (subject) => {
      const { id, list } = await takePatientWith(subject, listTickets, takeTicketPatient);
      await expectProblem(subject, toRequest(id, subject.fixtures.inactiveTicketType), 404, 'not_found');
      assert.deepEqual(await list(), []);
    },
  }),
  defineCase(openBase, 'tickets.open.pattern', {
    title: 'open refuses a value unless the regular expression matches all of it',
    run: async (subject) => {
      const { id: type, checked } = subject.fixtures.ticketType;
      await expectRefusal(subject, type, [{ id: checked.id, value: checked.misfit }], 'body /fields/0/value');
      const partly = `${checked.fits}\n${checked.misfit}`;
      await expectRefusal(subject, type, [{ id: checked.id, value: partly }], 'body /fields/0/value');
    },
  }),
  defineCase(openBase, 'tickets.open.types', {
    title: 'open refuses a value of another type than its field',
    run: async (subject) => {
      const { ticketType, typedTicketType: typed } = subject.fixtures;
      const refuse = (type: string, id: string, value: string) =>
        expectRefusal(subject, type, [{ id, value }], 'body /fields/0/value');
      await refuse(ticketType.id, ticketType.date, '2026-02-30');
      await refuse(typed.id, typed.number, 'tres');
      await refuse(typed.id, typed.boolean, 'quizás');
      await refuse(typed.id, typed.file, 'not base64!');
    },
  }),
  defineCase(openBase, 'tickets.open.empty', {
    title: 'open leaves out empty values',
    run: async (subject) => {
      const { id: type, file, number } = subject.fixtures.typedTicketType;
      const { id, list } = await takePatientWith(subject, listTickets, takeTicketPatient);
      const fields = [
        { id: file, value: '' },
        { id: number, value: '3' },
      ];
      await getBody(subject, toRequest(id, type, fields), 201);
      const [ticket] = await list();
      const shown = ticket?.fields ?? [];
      assert.deepEqual(
        shown.map(({ id, value }) => ({ id, value })),
        [{ id: number, value: '3' }],
      );
    },
  }),
  defineCase(openBase, 'tickets.open.typed', {
    title: 'open accepts a file, a number and a boolean, and returns every byte of the file',
    run: async (subject) => {
      const { id: type, file, number, boolean } = subject.fixtures.typedTicketType;
      const { id, list } = await takePatientWith(subject, listTickets, takeTicketPatient);
      const content = jpeg.toString('base64');
      const fields = [
        { id: file, value: content },
        { id: number, value: '3' },
        { id: boolean, value: 'true' },
      ];
      await getBody(subject, toRequest(id, type, fields), 201);
      const [ticket] = await list();
      const shown = ticket?.fields ?? [];
      assert.deepEqual(
        shown.map(({ id, dataType, value }) => ({ id, dataType, value })),
        fields.map((field) => ({ ...field, dataType: field.id === file ? 'file' : 'string' })),
      );
    },
  }),
  defineCase(openBase, 'tickets.open.large-file', {
    title: 'open accepts a file of 7 MiB, and refuses one more byte',
    run: async (subject) => {
      const { id: type, file } = subject.fixtures.typedTicketType;
      const largest = 7 * 1024 * 1024;
      const buildFile = (size: number) => [{ id: file, value: Buffer.alloc(size).toString('base64') }];
      await expectRefusal(subject, type, buildFile(largest + 1), 'body /fields/0/value');
      const { id, list } = await takePatientWith(subject, listTickets, takeTicketPatient);
      await getBody(subject, toRequest(id, type, buildFile(largest)), 201);
      expectCount(await list(), 1, 'tickets');
    },
  }),
  defineCase(openBase, 'tickets.open.strange-field', {
    title: 'open refuses a field that the type does not have, and a duplicate field',
    run: async (subject) => {
      const { id: type, checked } = subject.fixtures.ticketType;
      const field = { id: checked.id, value: checked.fits };
      await expectRefusal(subject, type, [field, { id: subject.fixtures.unknown, value: '' }], 'body /fields/1/id');
      await expectRefusal(subject, type, [field, field], 'body /fields/1/id');
    },
  }),
  defineCase(openBase, 'tickets.open.faults', {
    title: 'open names every wrong value, not only the first',
    run: async (subject) => {
      const { id: type, checked, date } = subject.fixtures.ticketType;
      const fields = [
        { id: checked.id, value: checked.misfit },
        { id: date, value: 'ayer' },
      ];
      await expectRefusal(subject, type, fields, 'body /fields/0/value');
      await expectRefusal(subject, type, fields, 'body /fields/1/value');
    },
  }),
  defineCase({ ...safeBase, level: 'write' }, 'tickets.list.none', {
    title: 'list returns an empty list for a patient without tickets',
    run: async (subject) => {
      if (subject.supports('patients.register')) {
        const [first, second] = [await registerPatient(subject), await registerPatient(subject)];
        const ofFirst = toUids(await listTickets(subject, first));
        // An institution may open a ticket for each new patient.
        const ofBoth = toUids(await listTickets(subject, second)).filter((uid) => ofFirst.includes(uid));
        assert.deepEqual(ofBoth, []);
      }
      assert.deepEqual(await listTickets(subject, subject.fixtures.patients.bare), []);
    },
  }),
  defineCase(listBase, 'tickets.list.order', {
    title: 'list returns the newest ticket first',
    run: async (subject) => {
      const { id, list } = await takePatientWith(subject, listTickets, takeTicketPatient);
      const pause = subject.fixtures.rules?.includes('whole-seconds') ? 1_100 : 5;
      for (const observations of ['primero', 'segundo', 'tercero']) {
        await openTicket(subject, id, observations);
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
      const listed = (await list()).map(({ observations }) => observations);
      assert.deepEqual(listed, ['tercero', 'segundo', 'primero']);
    },
  }),
  defineCase(listBase, 'tickets.list.days', {
    title: 'list narrows by days of the institution’s zone, both inclusive',
    run: async (subject) => {
      const { id, list } = await takePatientWith(subject, listTickets, takeTicketPatient);
      await openTicket(subject, id);
      const [ticket] = await list();
      assert.ok(ticket, 'the ticket that was opened is not listed');
      const day = toDay(subject, ticket.createdAt);
      const expectBetween = async (count: number, start_date: string, end_date: string) =>
        expectCount(await list({ start_date, end_date }), count, `tickets from ${start_date} to ${end_date}`);
      await expectBetween(1, day, day);
      await expectBetween(1, '0001-01-01', '9999-12-31');
      await expectBetween(0, addDays(day, 1), addDays(day, 9));
      await expectBetween(0, addDays(day, -9), addDays(day, -1));
      expectCount(await list({ start_date: addDays(day, 1) }), 0, 'tickets from the day after');
      expectCount(await list({ end_date: addDays(day, -1) }), 0, 'tickets until the day before');
    },
  }),
  defineCase(safeBase, 'tickets.list.night', {
    fixtures: ['patients.lateTicket'],
    title: 'list filters by days of the institution’s zone, even if the ticket’s day in UTC differs',
    run: async (subject) => {
      const { lateTicket } = subject.fixtures.patients;
      const all = await listTickets(subject, lateTicket);
      const toDays = ({ createdAt }: TicketBody) => [toDay(subject, createdAt), createdAt.slice(0, 10)] as const;
      const late = all.filter((ticket) => toDays(ticket)[0] !== toDays(ticket)[1]);
      if (all.length === 0 && subject.supports('tickets.open')) throw new Skipped(noneYet);
      expectPromised(late.length > 0, 'a ticket of patients.lateTicket whose day in UTC differs');
      for (const ticket of late) {
        const isListed = async (day: string) => {
          const listed = await listTickets(subject, lateTicket, { start_date: day, end_date: day });
          return listed.some(({ uid }) => uid === ticket.uid);
        };
        const [day, dayInUtc] = toDays(ticket);
        assert.ok(await isListed(day), 'a ticket is not listed on its day in the institution’s zone');
        assert.ok(!(await isListed(dayInUtc)), 'a ticket is listed on its day in UTC');
      }
    },
  }),
  defineCase(safeBase, 'tickets.list.backwards', {
    title: 'list refuses an end date before the start date',
    run: async (subject) => {
      const params = { id: subject.fixtures.patients.complete };
      const query = { start_date: '2026-03-02', end_date: '2026-03-01' };
      await expectFault(subject, { route: 'GET /patients/{id}/ticket/', params, query }, 'query /end_date');
    },
  }),
];
