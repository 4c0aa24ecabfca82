import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, describe, expect, test } from '@jest/globals';
import { ConfigFolder } from '../../support/config-file.ts';
import { listen, serve as serveHttp } from '../../support/listen.ts';
import { runPuente, serve } from '../../support/process.ts';
import { createProvider, inSeconds } from '../../support/provider.ts';

const folder = new ConfigFolder();
const { keys, sign } = await createProvider();
const provider = await serveHttp((_request, response) => response.end(JSON.stringify(keys)));
const free = createServer();
const opsPort = await listen(free);
free.close();
await once(free, 'close');
let gateway: Awaited<ReturnType<typeof serve>> | undefined;
afterAll(() => {
  gateway?.signal('SIGKILL');
  folder.remove();
});

const jwt = { preset: 'keycloak', issuer: 'i', audience: 'puente', jwksUri: `${provider}/keys` };
const write = (more: object) => folder.write('puente.yaml', JSON.stringify({ auth: { jwt }, ...more }));
const claims = {
  iss: 'i',
  aud: 'puente',
  typ: 'Bearer',
  azp: 'app',
  sub: 'app',
  scope: 'patients:read',
  exp: inSeconds(600),
};

interface Check {
  readonly check: string;
  readonly ok: boolean | null;
  readonly detail: string;
  readonly fix?: string;
}

/** What the command says of a running gateway. */
async function diagnose(file: string) {
  const { code, stdout } = await runPuente(['doctor', '--config', file, '--json'], {}, { compares: false });
  const { checks } = JSON.parse(stdout) as { checks: readonly Check[] };
  return { code, checks: checks.filter(({ check }) => check === 'running gateway' || check === 'refused tokens') };
}

describe('puente doctor', () => {
  test('names why the gateway refused tokens, and what to do', async () => {
    const file = write({ ops: { port: opsPort } });
    const running = await serve({ PUENTE_CONFIG: file });
    gateway = running;
    const ask = async (token: string, path = '/patients/ana') => {
      const response = await fetch(running.url + path, { headers: { authorization: `Bearer ${token}` } });
      await response.arrayBuffer();
      return response.status;
    };
    const header = { typ: 'JWT' };
    expect([
      await ask(await sign(header, { ...claims, aud: 'account' })),
      await ask(await sign(header, { ...claims, iss: 'other' })),
      await ask(await sign({ ...header, kid: 'deleted' }, claims)),
      await ask(await sign(header, claims), '/ticket_types'),
      await ask(await sign(header, claims), '/ticket_types'),
      await ask(await sign(header, { ...claims, iat: inSeconds(300) })),
    ]).toEqual([401, 401, 401, 403, 403, 401]);
    const { code, checks } = await diagnose(file);
    const told = [
      [/^issuer_clock: the clock of the issuer is 5 minutes ahead/, undefined],
      [/^wrong_audience \(1\)$/, /docs\/how-to\/identity\.md/],
      [/^wrong_issuer \(1\)$/, /docs\/how-to\/identity\.md/],
      [/^unknown_key \(1\)$/, /docs\/how-to\/identity\.md/],
      [/^scope_missing \(2\): tickets:read$/, /docs\/how-to\/identity\.md/],
      [/^issued_ahead \(1\)$/, /docs\/how-to\/identity\.md/],
    ] as const;
    expect(checks).toEqual(
      told.map(([detail, fix], i) => ({
        section: 'gateway',
        check: i === 0 ? 'running gateway' : 'refused tokens',
        ok: i === 0 ? false : null,
        detail: expect.stringMatching(detail),
        ...(fix && { fix: expect.stringMatching(fix) }),
      })),
    );
    expect(code).toBe(1);
    running.signal('SIGTERM');
    await running.ended;
    expect((await diagnose(file)).checks).toMatchObject([
      { ok: null, detail: `no gateway answers at http://127.0.0.1:${opsPort} (ECONNREFUSED)` },
    ]);
  });

  test('says that refused tokens cannot be seen without ops.port', async () => {
    const { code, checks } = await diagnose(write({}));
    expect(checks).toMatchObject([{ ok: null, fix: expect.stringMatching(/^set ops\.port/) }]);
    expect(code).toBe(0);
  });
});
