import fc from 'fast-check';
import { addDays } from '../../../src/toolkit/zone.ts';
import type { Knowledge } from '../knowledge.ts';
import type { Twin } from '../twin.ts';
import { Step, type Steps } from './step.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** How far the clock goes on; further than slots are published it does not. */
const clock = <C>(
  name: string,
  weight: number,
  choices: fc.Arbitrary<C>,
  to: (choice: C, known: Knowledge, twin: Twin) => number,
) =>
  ({
    weight,
    arbitrary: choices.map((choice) => new Step(name, async (known, twin) => twin.wait(to(choice, known, twin)))),
  }) satisfies Steps;

/** A moment at which something changes, or the one before it. */
const edge = fc.constantFrom(-1, 0, 1000);

export const clockSteps: readonly Steps[] = [
  clock(
    'some time goes by',
    3,
    fc.oneof(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 90, max: 3 * 24 * 60 })),
    (minutes, _, twin) => twin.now.getTime() + minutes * MINUTE,
  ),
  clock(
    'midnight comes',
    2,
    fc.record({ edge, days: fc.integer({ min: 1, max: 3 }) }),
    ({ edge, days }, _, twin) => Date.parse(twin.zone.toStartOfDay(addDays(twin.today, days))) + edge,
  ),
  clock(
    'it becomes too late for something',
    3,
    fc.record({ edge, which: fc.nat(20), hours: fc.constantFrom(0, 24) }),
    ({ edge, which, hours }, { appointments, wanted }, twin) => {
      const starts = [
        ...[...appointments.values()].map(({ date }) => date),
        ...[...wanted.values()].map((slot) => `${slot.appointmentDate}T${slot.appointmentStart}:00`),
      ];
      const moments = starts
        .map((start) => (twin.zone.toEpoch(start) ?? 0) - hours * HOUR)
        .filter((moment) => moment > twin.now.getTime());
      return (moments[which % moments.length] ?? 0) + edge;
    },
  ),
];
