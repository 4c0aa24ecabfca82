import { describe, expect, test } from '@jest/globals';
import { validateResource } from '@medplum/core';
import { sandbox } from '../../src/contract/fixtures.ts';
import { startFhirServer } from '../fhir-server/server.ts';
import { toFixtures } from './fixtures.ts';
import { buildHospital } from './hospital.ts';

const MONDAY_MORNING = new Date('2026-11-23T08:00:00-03:00');
const SUNDAY_NIGHT = new Date('2026-11-29T23:30:00-03:00');

describe.each([MONDAY_MORNING, SUNDAY_NIGHT])('the hospital written as FHIR at %s', (now) => {
  const resources = buildHospital(now);
  const slots = resources.filter((resource) => resource.resourceType === 'Slot');

  test('is valid FHIR', () => {
    for (const resource of resources) expect(() => validateResource(resource)).not.toThrow();
  });

  test('has at most 600 slots, all in the three weeks from the next Monday on', () => {
    expect(slots.length).toBeLessThanOrEqual(600);
    const starts = slots.map(({ start }) => start.slice(0, 10)).sort();
    expect([starts[0], starts.at(-1)]).toEqual(['2026-11-30', '2026-12-18']);
  });

  test('has every slot free but that of the appointment to come', () => {
    const busy = slots.filter(({ status }) => status !== 'free').map(({ start }) => start);
    expect(busy).toEqual(['2026-12-15T10:00:00-03:00']);
  });
});

test('a server with the hospital in it holds all that the contract looks for', async () => {
  const server = await startFhirServer({ resources: buildHospital(new Date()) });
  try {
    const fixtures = toFixtures(server.ids);
    expect(fixtures.patients.complete).toBe(server.ids.get('Patient/ana'));
    expect(Object.keys(fixtures)).toEqual(Object.keys(sandbox));
    const { name } = await server.read('Organization', fixtures.carriers.withPlans.id);
    expect(name).toBe(fixtures.carriers.withPlans.name);
  } finally {
    await server.stop();
  }
});
