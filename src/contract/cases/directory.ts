import assert from 'node:assert/strict';
import { type Case, defineCase } from '../case.ts';
import { getBody, getList } from '../expect.ts';

interface Entry {
  readonly location: { readonly id: string; readonly latitude: string; readonly phone: readonly object[] };
  readonly provider: readonly { readonly phone: readonly object[]; readonly service: readonly object[] }[];
}

interface Location {
  readonly id: string;
  readonly address: object;
}

export const directoryCases: readonly Case[] = [
  defineCase({ level: 'safe', needs: 'directory.locations', section: '4.A' }, 'directory.locations', {
    title: 'the locations of the institution are listed, each once, with an address',
    run: async (subject) => {
      const locations = await getList<Location>(subject, 'locations', { route: 'GET /location/' });
      const ids = locations.map(({ id }) => id);
      const { first, another } = subject.fixtures.locations;
      assert.ok(ids.includes(first) && ids.includes(another));
      assert.equal(new Set(ids).size, ids.length);
      assert.ok(Object.keys(locations.find(({ id }) => id === first)?.address ?? {}).includes('street'));
    },
  }),
  defineCase({ level: 'safe', needs: 'directory.entries', section: '4.A' }, 'directory.entries', {
    title: 'the medical directory names places with telephones, and providers with telephones and services',
    run: async (subject) => {
      const entries = await getBody<Entry[]>(subject, { route: 'GET /api/medical-directory' });
      const providers = entries.flatMap(({ provider }) => provider);
      assert.ok(entries.some(({ location }) => location.phone.length > 0));
      assert.ok(providers.some(({ phone }) => phone.length > 0));
      assert.ok(providers.some(({ service }) => service.length > 0));
      for (const { location } of entries) assert.match(location.latitude, /^(-?\d{1,2}(\.\d+)?)?$/);
    },
  }),
];
