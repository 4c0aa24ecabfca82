import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from '@jest/globals';
import { formatTerminal } from '../../src/cli/contract/reports.ts';
import { toPlainJson, toPlainLines } from '../../src/toolkit/plain-text.ts';
import { ConfigFolder } from '../support/config-file.ts';
import { contractReport } from '../support/contract-report.ts';
import { makeDatabase, writeMapping } from '../support/mapped-clinic.ts';
import { runPuente, serve, token } from '../support/process.ts';

const folder = new ConfigFolder();
afterAll(() => folder.remove());

/** ESC and CSI colour and move, the bidi marks turn what follows around, U+2028 ends a line. */
const hostile = 'a\u001b[8mb\u009b2Jc\u202ed\u2066e\u2028f\u{e0041}g';
const controls = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u;

describe('what a command prints of others controls no terminal', () => {
  test('in texts of several lines, which stay lines, and in JSON, which stays the same value', () => {
    expect(toPlainLines(`x\n${hostile}\ny`)).toMatch(/^x\na.*g\ny$/);
    expect(toPlainLines(hostile)).not.toMatch(controls);
    const value = { text: hostile, inner: [hostile] };
    for (const indent of [undefined, 2]) {
      expect(toPlainJson(value, indent)).not.toMatch(controls);
      expect(JSON.parse(toPlainJson(value, indent))).toEqual(value);
    }
    expect(toPlainJson({ a: 'ñandú 😀' })).toBe('{"a":"ñandú 😀"}');
  });

  test('in the report of the contract', () => {
    const [first, ...rest] = contractReport.cases;
    const report = { ...contractReport, cases: [{ ...first!, outcome: 'fail' as const, reason: hostile }, ...rest] };
    const printed = formatTerminal(report, (_style, text) => text);
    expect(printed).toContain('a\\u001b[8mb\\u009b2Jc\\u202ed');
    expect(printed).not.toMatch(controls);
  });

  test('by mapping try', async () => {
    const database = makeDatabase();
    const file = writeMapping(database);
    const system = new DatabaseSync(database);
    expect(system.prepare('UPDATE pacientes SET apellido = ? WHERE id_paciente = 1001').run(hostile).changes).toBe(1);
    system.close();
    const { stdout } = await runPuente([
      'mapping',
      'try',
      'patients.byId',
      '--id',
      '1001',
      '--show-values',
      '--file',
      file,
    ]);
    expect(stdout).toContain('lastName: ');
    expect(stdout.replaceAll(/\\u[0-9a-f]{4}/g, '')).not.toMatch(controls);
  });

  test('by audit search', async () => {
    const environment = {
      PUENTE_STATE_KIND: 'sqlite',
      PUENTE_STATE_FILE: `${folder.path}/state.db`,
      PUENTE_STATE_ENCRYPTION_KEY: `file:${folder.write('key', 'ab'.repeat(32))}`,
    };
    const gateway = await serve(environment);
    const id = 'a\u009b31m\u202eb';
    const headers = { Authorization: `Bearer ${token}` };
    expect((await fetch(`${gateway.url}/patients/${encodeURIComponent(id)}`, { headers })).status).toBe(404);
    gateway.signal('SIGTERM');
    await gateway.ended;
    const { stdout } = await runPuente(['audit', 'search'], environment);
    expect(stdout).not.toMatch(controls);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line): { patient?: string } => JSON.parse(line));
    expect(lines.map(({ patient }) => patient)).toContain(id);
  });
});
