import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { connect } from '../../../../adapters/fhir/rest/client.ts';
import { makeSettings } from '../../../support/fhir-adapter.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { json } from '../../../support/scripted-fhir.ts';
import { ScriptedServer } from '../../../support/scripted-server.ts';

const server = await ScriptedServer.start();
beforeEach(() => server.forget());
afterAll(() => server.stop());

/** Searches a server that has these pages of locations, and says that there are so many. */
async function search(pages: readonly (readonly string[])[], total: number, query = {}) {
  pages.forEach((ids, index) => {
    const link = index + 1 < pages.length ? [{ relation: 'next', url: `Location?page=${index + 1}` }] : [];
    const entry = ids.map((id) => ({ resource: { resourceType: 'Location', id }, search: { mode: 'match' } }));
    const isPage = ({ page = '0' }: Readonly<Record<string, string>>) => page === String(index);
    const body = { resourceType: 'Bundle', type: 'searchset', total, link, entry };
    server
      .get(/^\/fhir\/Location/)
      .query(isPage)
      .reply(200, body, json);
  });
  const { client } = await connect(makeSettings({ url: `${server.url}/fhir` }));
  const found = await client.search('Location', { _total: 'accurate', ...query }, callNow());
  return { total: found.total, isBelieved: client.ladder.heeds('Location', '_total') };
}

describe('a total', () => {
  test('is what the server says where the rows fit', async () => {
    expect(await search([['a', 'b'], ['c']], 3)).toEqual({ total: 3, isBelieved: true });
    expect(await search([['a', 'b']], 12, { _offset: '10' })).toEqual({ total: 12, isBelieved: true });
    expect(await search([[]], 0)).toEqual({ total: 0, isBelieved: true });
  });

  test.each<[string, readonly (readonly string[])[], number, object]>([
    ['is below the rows', [['a', 'b']], 1, {}],
    ['is that of the page, which has a next one', [['a', 'b'], ['c']], 2, {}],
    ['is below the rows with those that were skipped', [['a', 'b']], 2, { _offset: '10' }],
  ])('that %s is unknown, and the server is not believed again', async (_, pages, total, query) => {
    expect(await search(pages, total, query)).toEqual({ total: undefined, isBelieved: false });
  });

  test('that later pages contradict is unknown, and may have been true before', async () => {
    expect(
      await search(
        [
          ['a', 'b'],
          ['c', 'd'],
        ],
        3,
      ),
    ).toEqual({ total: undefined, isBelieved: true });
  });
});
