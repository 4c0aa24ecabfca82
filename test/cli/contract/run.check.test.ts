import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { type ContractOptions, checkContract } from '../../../src/cli/contract/run.ts';
import { capabilities } from '../../../src/ports/index.ts';
import { ConfigFolder } from '../../support/config-file.ts';
import { readPrinted } from '../../support/printed.ts';

const folder = new ConfigFolder();
afterAll(() => folder.remove());

/** Runs the command without a terminal, and returns what it printed. */
function run(options: ContractOptions, signal = new AbortController().signal, shown: string[] = []) {
  const progress = { isTTY: true, columns: 40, write: (text: string) => shown.push(text) };
  return readPrinted((output) => checkContract(options, { ...output, environment: {}, signal, progress }));
}

describe('puente contract', () => {
  test('without a configuration proves the sandbox hospital, at the highest level and without a map', async () => {
    const { code, printed } = await run({ only: 'patients.register' });
    expect(code).toBe(0);
    const all = capabilities.length;
    expect(printed).toMatch(
      new RegExp(
        `^config/default\\.yaml\nin process \\(memory\\) · level destructive · ${all} of ${all} capabilities offered\n`,
      ),
    );
    expect(printed).toMatch(/\n {2}patients +\d+ +- +-\n/);
    expect(printed).toMatch(/\n\d+ passed, 0 failed, 0 skipped in \d+\.\d s\n$/);
  });

  test('writes the reports that it was asked for', async () => {
    const files = { json: folder.write('r.json', ''), junit: folder.write('r.xml', '') };
    await run({ only: 'DIRECTORY.locations', ...files });
    const [json, junit] = Object.values(files).map((file) => readFileSync(file, 'utf8'));
    expect(JSON.parse(json!)).toMatchObject({
      tool: 'puente contract',
      level: 'destructive',
      totals: { failed: 0, skipped: 0 },
      sections: expect.arrayContaining([expect.objectContaining({ section: '4.A', proved: expect.any(Array) })]),
    });
    expect(junit).toMatch(/^<\?xml/);
  });

  test('runs no case of a higher level than was asked for, and says so', async () => {
    const { printed } = await run({ only: 'appointments.book.takes', level: 'safe' });
    expect(printed).toContain('     1  its level is destructive, and the run stops at safe\n');
  });

  test('lists the cases of a pattern and what they stand on, and needs no institution for it', async () => {
    const { code, printed } = await run({ list: true, only: 'appointments.list.payment', config: 'no-such-file.yaml' });
    expect(code).toBe(0);
    expect(printed.split('\n')).toEqual([
      '| case | proves | requires | fixtures |',
      '| --- | --- | --- | --- |',
      '| appointments.list.payment | appointments.list |  | patients.payer |',
      '',
    ]);
    expect((await run({ list: true })).printed).toContain('\n| start.independent | patients.get |');
  });

  test('judges no adapter by what the gateway decides, and lists it for a server', async () => {
    expect((await run({ list: true, only: '.misfits' })).printed).toContain('| document.POST /patients/.misfits |');
    await expect(run({ only: '.misfits' })).rejects.toThrow("no id or title of a case contains '.misfits'");
  });

  test('with a pattern that no case has cannot run', async () => {
    await expect(run({ only: 'patientz' })).rejects.toThrow("no id or title of a case contains 'patientz'");
  });

  test('finds that a report cannot be written before it runs anything', async () => {
    const json = join(folder.write('file', ''), 'r.json');
    const shown: string[] = [];
    await expect(run({ json }, undefined, shown)).rejects.toThrow('r.json cannot be written (ENOTDIR)');
    expect(shown).toEqual([]);
  });

  test('shows in a terminal which case is being run, in one line of its width', async () => {
    const shown: string[] = [];
    await run({ only: 'document.GET /patients/' }, undefined, shown);
    const lines = shown.map((text) => text.replace('\r\u001b[2K', ''));
    expect(lines[0]).toBe('reading the records of the institution');
    expect(lines[1]).toBe('searching for the records of the fixtur');
    expect(lines[2]).toMatch(/^ 1\/\d+ document\.GET \/patients\//);
    expect(lines.filter((line) => line.length > 39)).toEqual([]);
    expect(lines.at(-1)).toBe('');
  });

  test('says by --verbose without a terminal, line by line and from the first second, what it does', async () => {
    const shown: string[] = [];
    const progress = { write: (text: string) => shown.push(text) };
    const { signal } = new AbortController();
    const options = { only: 'document.GET /patients/', verbose: true } as const;
    await readPrinted((output) => checkContract(options, { ...output, environment: {}, signal, progress }));
    expect(shown[0]).toBe('reading the records of the institution\n');
    expect(shown[1]).toBe('searching for the records of the fixtures\n');
    expect(shown[2]).toMatch(/^ 1\/\d+ document\.GET \/patients\/.*\n$/);
    expect(shown.filter((line) => !/^[ -~]+\n$/.test(line))).toEqual([]);
  });

  test('exits with 2 at once over a system that is away, and blames it for nothing', async () => {
    const config = folder.write(
      'away.yaml',
      'adapter: { name: fhir, settings: { baseUrl: "http://127.0.0.1:9/fhir", namespace: "https://his.example.org" } }\n',
    );
    const { code, printed } = await run({ config, level: 'safe' });
    expect(code).toBe(2);
    expect(printed).toMatch(
      /\n\d+ passed, 0 failed, \d+ skipped in .* \(the system is unreachable, no answer\s+came:\s+502 backend_unavailable\)/,
    );
  });

  test('says of a wrong fixture one sentence at the top, skips the cases that need it, and exits with 2', async () => {
    const map = folder.write('map.yaml', 'unknown: no-such-id\npatients: { complete: nobody }\n');
    const { code, printed } = await run({ only: 'patients.', map });
    expect(code).toBe(2);
    expect(printed.split('\n\n')[1]?.replaceAll(/\s+/g, ' ')).toBe(
      'wrong fixtures (their cases are skipped) patients.complete: GET /patients/{id} answers 404: correct the id or the adapter',
    );
    expect(printed).toMatch(
      /\n +\d+ {2}patients\.complete: GET \/patients\/\{id\} answers 404: correct\s+the\s+id\s+or\s+the\s+adapter\n/,
    );
    expect(printed).toMatch(/\n\d+ passed, 0 failed, \d+ skipped/);
  });

  test('stops when it is interrupted, and reports the rest as not run', async () => {
    const { code, printed } = await run({ only: 'directory' }, AbortSignal.abort());
    expect(code).toBe(2);
    expect(printed).toMatch(/0 passed, 0 failed, \d+ skipped in .* \(the run was interrupted\)/);
  });
});
