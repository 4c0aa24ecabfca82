import { hash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { formatHtml } from '../../../../src/cli/contract/reports/html.ts';
import type { Report } from '../../../../src/cli/contract/result.ts';
import { capabilities } from '../../../../src/ports/index.ts';
import { contractReport } from '../../../support/contract-report.ts';

const html = formatHtml(contractReport);
const findElement = (name: string): string => new RegExp(`<${name}>([^]*?)</${name}>`).exec(html)?.[1] ?? '';

describe('the HTML report', () => {
  test('is one file that loads nothing, and allows its own style and script alone', () => {
    expect(html).not.toMatch(/\b(?:src|href|action)=|@import|url\(|fetch\(|XMLHttpRequest|WebSocket/i);
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1];
    expect(policy).toBe(
      `default-src 'none'; style-src 'sha256-${hash('sha256', findElement('style'), 'base64')}'; ` +
        `script-src 'sha256-${hash('sha256', findElement('script'), 'base64')}'; base-uri 'none'; form-action 'none'`,
    );
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html).not.toMatch(/ (?:style|on\w+)="/);
  });

  test('shows titles, reasons and commands as text', () => {
    expect(html).toContain('get fails with &lt;not_found&gt; &amp; &quot;nothing&quot; else');
    expect(html).toContain('<span class="expected">- ‹name 1› &lt;/script&gt;&lt;script&gt;');
    expect(html).toContain(`<pre class="curl">curl -sS 'http://x'&quot;$patients_complete&quot;</pre>`);
  });

  test('says of the run what was offered, and what became of what it made', () => {
    const listFacts = (report: Report) =>
      [...formatHtml(report).matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)].map(([, name, value]) => [name, value]);
    expect(listFacts(contractReport)).toEqual([
      ['Level', 'write'],
      ['Fixtures', 'contract.yaml'],
      ['Started', '2026-11-22 10:00 UTC, 1.5 s'],
      ['Offered', `2 of ${capabilities.length} capabilities: patients.get, insurance.create`],
      ['Cleaned up', '2 appointments canceled, 0 relatives removed'],
      ['Left there', '3 patients, 1 ticket'],
      ['Not cleaned up', 'appointment a-1 stays: canceling it answered 409 too_late'],
    ]);
    const { cleanUp } = contractReport;
    const stopped = 'three cases in a row got no answer';
    const safe = listFacts({ ...contractReport, offered: capabilities, stopped, cleanUp: undefined });
    expect(safe.slice(3)).toEqual([
      ['Offered', `all ${capabilities.length} capabilities`],
      ['Stopped', stopped],
    ]);
    const nothing = { patients: 0, tickets: 0, coverages: 0, 'change requests': 0 };
    const lost = listFacts({ ...contractReport, cleanUp: { ...cleanUp!, remaining: nothing, lost: 2, failures: [] } });
    expect(lost.slice(5)).toEqual([
      ['Left there', 'nothing'],
      ['Unknown', '2 writes got no answer'],
    ]);
  });

  test('has a case open that failed, and those that passed or were skipped closed', () => {
    expect(html.match(/<details class="case fail" data-outcome="fail" open>/g)).toHaveLength(1);
    expect(html.match(/<details class="case (?:pass|skip)" data-outcome="(?:pass|skip)">/g)).toHaveLength(2);
  });

  test('marks each case with a sign of its outcome, which is read out as a word', () => {
    const marks = [...html.matchAll(/<span class="mark" role="img" aria-label="(\w+)">(.*?)<\/span>/g)];
    expect(marks.map(([, word, sign]) => [word, sign])).toEqual([
      ['passed', '✔'],
      ['failed', '✖'],
      ['skipped', '–'],
    ]);
  });

  test('counts what was proved, failed and was skipped, and marks what is none', () => {
    const cells = [...html.matchAll(/<td class="(\w+)">(\d+)<\/td>/g)].map(([, kind, number]) => [
      kind,
      Number(number),
    ]);
    expect(cells.length).toBeGreaterThan(2);
    expect(cells.filter(([kind, number]) => (kind === 'zero') !== (number === 0))).toEqual([]);
    expect(new Set(cells.map(([kind]) => kind))).toEqual(new Set(['pass', 'fail', 'skip', 'zero']));
  });

  test('has a script that can be parsed', () => {
    expect(() => new Function(findElement('script'))).not.toThrow();
  });
});
