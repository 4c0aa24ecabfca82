import { beforeAll, describe, expect, test } from '@jest/globals';
import { toFixtures } from '../hospital-in-fhir/fixtures.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { connect } from '../support/fhir-adapter.ts';
import { compareDays, type DayOptions, type Step, workOneDay } from './day.ts';
import { dialects } from './dialects.ts';
import { startDialectProxy } from './proxy.ts';

const { server } = await startHospital();
const proxy = await startDialectProxy(server.url);
const day: DayOptions = { fixtures: toFixtures(server.ids), document: '58123456', now: new Date().toISOString() };
const changeReasons = [{ id: day.fixtures.changeReason, label: 'Mudanza' }];

async function workDay(): Promise<Step[]> {
  const { ports } = await connect(proxy, { changeReasons });
  return workOneDay(ports, day);
}

let usual: readonly Step[] = [];

beforeAll(async () => {
  usual = await workDay();
});

test('a day of work has 38 calls, and all but the second booking of a slot succeed', () => {
  expect(usual).toHaveLength(38);
  expect(usual.filter(({ status }) => status > 201).map(({ name, status }) => [name, status])).toEqual([
    ['bookAppointment', 409],
  ]);
  expect(usual.flatMap(({ omitted }) => omitted)).toEqual([]);
});

describe('a day of work is the same on a server that speaks with', () => {
  test.each(Object.entries(dialects))('%s', async (_, { create, mayDiffer }) => {
    server.reset();
    proxy.speak(create());
    expect(compareDays(usual, await workDay(), mayDiffer)).toEqual([]);
    expect(proxy.asked.length).toBeGreaterThan(38);
  });
});
