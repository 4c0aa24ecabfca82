import { describe, expect, test } from '@jest/globals';
import { ApiReader } from '../../../../src/cli/contract/look/api-reader.ts';
import { FoundFixtures } from '../../../../src/cli/contract/look/found-fixtures.ts';
import { lookForServices } from '../../../../src/cli/contract/look/services.ts';

interface Given {
  readonly practitioner?: string;
  readonly required?: boolean;
  readonly minAge?: number;
  /** Moment, practitioner and location of each slot. */
  readonly slots?: readonly (readonly [date: string, practitioner: string, location: string])[];
}

/** What is found among these services, for nobody in particular. */
async function look(services: Readonly<Record<string, Given>>) {
  const list = Object.entries(services).map(([id, { practitioner = '', required = true, minAge = null }]) => ({
    id,
    practitioner_id: practitioner,
    active: true,
    appointment_required: required,
    min_age: minAge,
    max_age: null,
    sex_id: null,
  }));
  const reader = new ApiReader({
    send: async ({ route, query }) => {
      const { slots = [] } = services[query?.health_care_service_id ?? ''] ?? {};
      const appointments = slots.map(([date, practitioner_id, location_id]) => ({
        date,
        practitioner_id,
        location_id,
        mode: 'in-person',
      }));
      const bodies: Readonly<Record<string, object>> = {
        'GET /health-care-services/search': { health_care_services: list },
        'GET /available-appointments/search': { appointments },
      };
      return { status: bodies[route] ? 200 : 404, headers: {}, body: bodies[route] };
    },
  });
  const findings = new FoundFixtures();
  await lookForServices(reader, undefined, findings);
  return (name: Parameters<FoundFixtures['add']>[0]) => findings.all.get(name)?.value;
}

const monday = '2026-03-02T09:00:00';
const tuesday = '2026-03-03T09:00:00';

describe('looking for services', () => {
  test('takes one with two locations, also where no other has slots at the same time', async () => {
    const find = await look({
      visit: {
        slots: [
          [monday, 'p', 'north'],
          [tuesday, 'p', 'south'],
        ],
      },
    });
    expect(find('services.bookable')).toBe('visit');
    expect(find('practitioners.bookable')).toBe('p');
    expect(find('locations.first')).toBe('north');
    expect(find('services.second')).toBeUndefined();
  });

  test('prefers one beside which another has slots at the same time and place', async () => {
    const find = await look({
      alone: {
        practitioner: 'o',
        slots: [
          [monday, 'o', 'west'],
          [monday, 'o', 'east'],
        ],
      },
      visit: {
        practitioner: 'p',
        slots: [
          [monday, 'p', 'south'],
          [tuesday, 'p', 'north'],
        ],
      },
      other: { practitioner: 'q', slots: [[tuesday, 'q', 'north']] },
    });
    expect([find('services.bookable'), find('services.second')]).toEqual(['visit', 'other']);
    expect(find('locations.first')).toBe('north');
    expect(find('practitioners.second')).toBe('q');
  });

  test('knows what is walked into from what is booked', async () => {
    const find = await look({ booked: {}, open: { required: false } });
    expect(find('services.walkIn')).toBe('open');
    expect(find('services.bookable')).toBeUndefined();
    expect((await look({ adults: { minAge: 18 } }))('services.bookable')).toBe('adults');
  });
});
