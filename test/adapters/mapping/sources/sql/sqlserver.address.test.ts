import { expect, test } from '@jest/globals';
import { openSources } from '../../../../../adapters/mapping/sources/open-sources.ts';
import { database } from '../../../../../adapters/mapping/sources/sql/schema.ts';

const open = (url: string) => {
  process.env.MSSQL_ADDRESS_TEST = url;
  return openSources({ system: 'his', database: database.parse({ kind: 'sqlserver', url: 'env:MSSQL_ADDRESS_TEST' }) });
};

test.each(['mssql://his', 'sqlserver://', 'Server=his;Database=x', 'sqlserver:///x'])(
  'an address of SQL Server that is none, %s, is told with what it looks like',
  async (url) => {
    await expect(open(url)).rejects.toMatchObject({
      setting: 'database.url',
      problems: [expect.stringContaining('sqlserver://user:password@host:1433/database')],
    });
  },
);

test('a server that nobody runs is asked at the first question alone', async () => {
  const sources = await open('sqlserver://puente:secret@127.0.0.1:1/his');
  const call = { signal: new AbortController().signal, requestId: 'test' };
  await expect(sources.reach(call)).rejects.toMatchObject({ kind: 'unavailable', cause: { code: 'ESOCKET' } });
  await sources.close();
});
