import { expect, test } from '@jest/globals';
import { slotCases } from '../../../src/contract/cases/slots.ts';
import { createPortsSubject, runCases, sandbox } from '../../../src/contract/index.ts';
import { computeDayAhead, listSlotsA } from '../../../src/contract/queries.ts';
import { changeSlots } from '../../support/change-slots.ts';
import { openSandbox } from '../../support/sandbox.ts';

/** A Wednesday, 08:00 in the sandbox hospital. */
const now = new Date('2026-10-14T11:00:00.000Z');

const future = slotCases.filter(({ id }) => id === 'slots.future');

test('a slot of today lies in the future', async () => {
  const subject = createPortsSubject({ ports: openSandbox(now), fixtures: sandbox, now: () => now });
  const [first] = await listSlotsA(subject);
  expect(first?.date.slice(0, 10)).toBe(computeDayAhead(subject, 0));
  expect(await runCases(future, async () => subject)).toMatchObject([{ outcome: 'pass' }]);
});

test.each([
  ['one free slot is enough', 1, 'pass'],
  ['no free slot is too few', 0, 'fail'],
])('%s to show that free slots lie in the future', async (_, number, outcome) => {
  const { appointments } = openSandbox(now);
  const slots = changeSlots(appointments, (free) => free.slice(0, number));
  const ports = { appointments: { slots } };
  const subject = createPortsSubject({ ports, fixtures: sandbox, now: () => now });
  expect(await runCases(future, async () => subject)).toMatchObject([{ outcome }]);
});
