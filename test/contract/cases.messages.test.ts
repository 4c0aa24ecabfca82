import { globSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import ts from 'typescript';
import { sandbox } from '../../src/contract/index.ts';
import type { Slot } from '../../src/ports/index.ts';
import { replace } from '../support/faults/port-fault.ts';
import { type Change, runWith } from '../support/legal-case.ts';
import { findNodes, parseFile } from '../tools/reference/source.ts';

/** The expression is true, false, or a list with one of them. */
const isOfConditions = (node: ts.Node): boolean =>
  [ts.SyntaxKind.TrueKeyword, ts.SyntaxKind.FalseKeyword].includes(node.kind) ||
  (ts.isArrayLiteralExpression(node) && node.elements.some(isOfConditions));

/** The assertions of conditions without a message: their failures show code or true and false, and no value. */
const findMuteAssertions = (file: ts.SourceFile): string[] =>
  findNodes(file, ts.isCallExpression)
    .filter(({ expression, arguments: given }) => {
      const [, compared = ''] = /^assert(?:\.(\w+))?$/.exec(expression.getText(file)) ?? ['', 'none'];
      if (compared === '' || compared === 'ok') return given.length < 2;
      return /^(?:equal|deepEqual)$/.test(compared) && given.length < 3 && given.slice(1).some(isOfConditions);
    })
    .map((call) => `${file.fileName}: ${call.getText(file)}`);

test('a condition without a message is found, and one with a message is not', () => {
  const text = `
    assert.ok(
      a.includes(b),
    );
    assert(c);
    assert.deepEqual([d, e], [true, false]);
    assert.ok(f, 'f is missing');
    assert.equal(g, h);
    assert.equal(i, true, 'whether i is offered');
    expect.ok(j);
  `;
  const file = ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest, true);
  expect(findMuteAssertions(file)).toHaveLength(3);
});

test('every condition of the contract has a message that names what was expected', () => {
  const files = globSync('src/contract/**/*.ts');
  expect(files.length).toBeGreaterThan(40);
  expect(files.flatMap((name) => findMuteAssertions(parseFile(name)))).toEqual([]);
});

/** The reason why the case fails over such a hospital. */
const explain = async (id: string, change: Change): Promise<string> => {
  const [result] = await runWith(id, change);
  expect(result?.outcome).toBe('fail');
  return result?.reason ?? '';
};

const withSlots =
  (change: (slots: readonly Slot[]) => readonly Slot[]): Change =>
  ({ appointments }) => {
    const slots: typeof appointments.slots = async ({ page, ...query }, call) => {
      const items = change((await appointments.slots(query, call)).items);
      const { page: at, limit } = page ?? { page: 0, limit: items.length };
      return { items: items.slice(at * limit, (at + 1) * limit), total: items.length };
    };
    return { appointments: replace(appointments, { slots }) };
  };

/** A search that begins on another day lacks other rows. */
const withGaps: Change = ({ appointments }) => {
  const slots: typeof appointments.slots = async ({ page, ...query }, call) => {
    const { items: all } = await appointments.slots(query, call);
    const items =
      query.from === query.to ? all : all.filter(({ start }) => start.slice(8, 10) !== query.from?.slice(8));
    const { page: at, limit } = page ?? { page: 0, limit: items.length };
    return { items: items.slice(at * limit, (at + 1) * limit), total: items.length };
  };
  return { appointments: replace(appointments, { slots }) };
};

test('a narrowed list that lacks rows, or has rows that the whole list lacks, is told from one with wrong rows', async () => {
  expect(await explain('filters.appointments.slots', withGaps)).toMatch(
    /^narrowed by dateFrom \S+, the list has \d+ of \d+ rows, and (?:lacks \d+ that meet the criteria|\d+ other rows)/,
  );
});

test('a slot whose id moves to another time is named, with the rule', async () => {
  const byDay = withSlots((slots) => slots.map((slot) => ({ ...slot, id: slot.start.slice(0, 10) })));
  expect(await explain('appointments.b.create-two', byDay)).toMatch(
    /^the slot \d{4}-\S+ of \S+ at \S+ is offered after the booking: its appointmentId now names \d{4}-\S+ of \S+ at \S+, and an appointmentId must stay that of its slot$/,
  );
});

test('a list without a promised record names it', async () => {
  const withoutBookable: Change = ({ 'care-services': services }) => ({
    'care-services': replace(services, {
      available: async (...given) =>
        (await services.available(...given)).filter(({ id }) => id !== sandbox.services.bookable),
    }),
  });
  expect(await explain('care-services.all', withoutBookable)).toMatch(
    new RegExp(`^the search for services lists \\d+ records, and ${sandbox.services.bookable} is missing`),
  );
});

test('a confirmed record that is not listed is named with its list', async () => {
  const withoutPlaces: Change = ({ directory }) => ({ directory: replace(directory, { entries: async () => [] }) });
  const [{ id }] = sandbox.records.places as [{ id: string }];
  expect(await explain('records.places', withoutPlaces)).toContain(
    `the record ${id} of records.places by directory.entries is not returned: look in the system whether`,
  );
});

test('two clients that share a key are named', async () => {
  const shared: Change = ({ tickets }) => ({
    tickets: replace(tickets, {
      open: (id, type, ticket, call) => tickets.open(id, type, ticket, { ...call, client: 'all' }),
    }),
  });
  expect(await explain('idempotency.tickets.open', shared)).toContain(
    'under the key of another client (call.client), whose keys are its own, it fails with invalid idempotency_key_reused',
  );
});
