import { hapi, medplum } from '../fhir-server/quirks.ts';
import type { Scene } from './hospitals.ts';

/** Fixed moments, so that a seed means the same sequence on every day. */
export const scenes: readonly Scene[] = [
  {
    name: 'in Buenos Aires, on a server like HAPI',
    timeZone: 'America/Argentina/Buenos_Aires',
    now: '2026-11-19T14:03:00.000Z',
    server: hapi,
  },
  {
    name: 'in Santiago before the clocks go forward, on a server like Medplum',
    timeZone: 'America/Santiago',
    now: '2026-09-03T01:30:00.000Z',
    server: medplum,
  },
  {
    name: 'in Santiago before the clocks go back, on a server like HAPI',
    timeZone: 'America/Santiago',
    now: '2026-04-02T23:45:00.000Z',
    server: hapi,
  },
];
