import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterAll, describe, expect, test } from '@jest/globals';
import { openSources } from '../../../../../adapters/mapping/sources/open-sources.ts';
import { database } from '../../../../../adapters/mapping/sources/sql/schema.ts';
import { missing, startPostgres } from '../../../../support/postgres-server.ts';
import { sourceCall } from '../../../../support/source-call.ts';

const url = missing === undefined ? await (await startPostgres()).createUrl() : '';

describe('a mapping file over PostgreSQL', () => {
  if (missing !== undefined) return void test.skip(`skipped: ${missing}`, () => undefined);

  const relays: Server[] = [];
  afterAll(() => relays.forEach((each) => void each.close()));

  /** The address of what stands in for a server that takes this text for that one, of the same length. */
  async function startRelay(from: string, to: string): Promise<string> {
    const port = Number(new URL(url).port);
    const relay = createServer((caller) => {
      const server = connect(port, '127.0.0.1');
      caller.on('data', (bytes) => server.write(Buffer.from(bytes.toString('latin1').replaceAll(from, to), 'latin1')));
      server.pipe(caller);
      for (const [one, other] of [
        [caller, server],
        [server, caller],
      ] as const)
        one.on('error', () => undefined).on('close', () => other.destroy());
    });
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
    relays.push(relay);
    return url.replace(`:${port}/`, `:${(relay.address() as AddressInfo).port}/`);
  }

  test.each([
    ['isolation of changes', 'ISOLATION LEVEL SERIALIZABLE', 'READ WRITE'.padEnd(28)],
    ['time zone', "TimeZone = 'America/Argentina/Buenos_Aires'", "TimeZone = 'UTC'".padEnd(43)],
    ['time of a statement', "statement_timeout = '5000'", "statement_timeout = '0'   "],
  ])('is not asked by a gateway whose %s the server does not take', async (_, from, to) => {
    process.env.POSTGRES_SESSION_URL = await startRelay(from, to);
    const sources = await openSources({
      system: 'his',
      database: database.parse({ kind: 'postgres', url: 'env:POSTGRES_SESSION_URL' }),
      timeZone: 'America/Argentina/Buenos_Aires',
    });
    await expect(sources.reach(sourceCall())).rejects.toMatchObject({
      kind: 'unavailable',
      cause: { code: 'SESSION_NOT_SET' },
    });
    await sources.close();
  });
});
