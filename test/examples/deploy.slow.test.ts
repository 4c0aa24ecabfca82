import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { startGateway } from '../support/gateway.ts';
import { findMissing, HOST, isThere, proxies, startProxy } from '../support/proxies.ts';

const examples = join(import.meta.dirname, '../../examples/deploy');
const folder = mkdtempSync(join(tmpdir(), 'puente-deploy-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Of a search, by whose words a log would name a patient. */
const identifier = '31465466';

describe.each(proxies)('examples/deploy/$file', (proxy) => {
  const reason = findMissing(proxy);
  const name = 'lets requests through by TLS, a ticket with a file too, and logs nobody';
  const run = reason === undefined ? test : test.skip;
  run(reason === undefined ? name : `${name} (skipped: ${reason} is not installed here)`, async () => {
    const gateway = await startGateway({ environment: { PUENTE_HTTP_TRUSTED_PROXIES: '[127.0.0.1]' } });
    const http = Number(new URL(gateway.url).port);
    const { port, ca, printed, stop } = await startProxy(proxy, folder, Array(2).fill({ http, ops: http }));

    const ask = async (method: string, path: string, body?: string) => {
      const headers = { Host: HOST, Authorization: `Bearer ${gateway.token}`, 'Content-Type': 'application/json' };
      const sent = request({ host: '127.0.0.1', port, servername: HOST, ca, method, path, headers, agent: false });
      sent.end(body);
      const [response] = await once(sent, 'response');
      response.resume();
      await once(response, 'end');
      return response.statusCode as number;
    };
    try {
      const search = `/patients/search?identifier=${identifier}&identifier_type=DNI`;
      let status = 0;
      for (let i = 0; i < 100 && status !== 200; i++) {
        status = await ask('GET', search).catch(() => 0);
        if (status !== 200) await sleep(100);
      }
      expect({ status, printed: status === 200 ? '' : printed() }).toEqual({ status: 200, printed: '' });
      const orden = `data:application/pdf;base64,${Buffer.alloc(6 << 20).toString('base64')}`;
      expect(
        await ask('POST', '/patients/ana/ticket_type/nothing/ticket', JSON.stringify({ observations: orden })),
      ).toBe(422);
    } finally {
      await stop();
      await gateway.stop();
    }
    const log = join(folder, 'gateway.log');
    expect(printed() + (existsSync(log) ? readFileSync(log, 'utf8') : '')).not.toMatch(/31465466|\/patients/);
  });
});

describe('examples/deploy/puente@.service', () => {
  const unit = readFileSync(join(examples, 'puente@.service'), 'utf8');
  const run = isThere('systemd-analyze') ? test : test.skip;

  test('starts what npm start starts', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } };
    expect(unit).toContain(`ExecStart=/usr/bin/node /opt/puente/current/${scripts.start.replace(/^node /, '')}\n`);
  });

  test('gives each gateway a user of its own, and a chain of the audit trail', () => {
    expect(unit).toContain('\nUser=puente-%i\nDynamicUser=yes\n');
    expect(unit).toContain('\nEnvironment=PUENTE_AUDIT_CHAIN=%H-%i\n');
  });

  test('takes the configuration and the secrets of its own environment file last, so that institutions share neither', () => {
    const lines = unit.split('\n').filter((line) => /^Environment/.test(line));
    // systemd lets files replace `Environment=`, and a later file an earlier one.
    expect(lines.at(-1)).toBe('EnvironmentFile=-/etc/puente/%i.env');
    expect(lines.filter((line) => line.includes('PUENTE_CONFIG='))).toHaveLength(1);
  });

  run.each(['one', 'norte-1', 'sur-2'])(
    'is understood by systemd as puente@%s (skipped where systemd-analyze is not installed)',
    (name) => {
      const file = join(folder, `puente@${name}.service`);
      const here = unit.replace('/usr/bin/node', process.execPath).replaceAll('/opt/puente/current', process.cwd());
      writeFileSync(file, here);
      const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
      expect((stdout + stderr).split('\n').filter((line) => line.includes(`puente@${name}.service`))).toEqual([]);
    },
  );
});

const hasVector = isThere('vector');
(hasVector ? test : test.skip)(
  `examples/deploy/vector.yaml is understood by Vector${hasVector ? '' : ' (skipped: vector is not installed here)'}`,
  () => {
    const args = ['validate', '--no-environment', join(examples, 'vector.yaml')];
    const { status, stdout, stderr } = spawnSync('vector', args, { encoding: 'utf8' });
    expect({ status, printed: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, printed: '' });
  },
);
