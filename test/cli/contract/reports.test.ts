import { describe, expect, test } from '@jest/globals';
import type { Paint } from '../../../src/cli/contract/options.ts';
import { formatTerminal } from '../../../src/cli/contract/reports.ts';
import { contractReport } from '../../support/contract-report.ts';

const plain: Paint = (_style, text) => text;

describe('the report for a terminal', () => {
  test('says what was proved, what failed and why, what was skipped and why, and what is left', () => {
    expect(formatTerminal(contractReport, plain)).toBe(
      `http://127.0.0.1:8080
over HTTP · level write · 2 of 29 capabilities offered
fixtures: contract.yaml · seed 7

  port                                   passed   failed  skipped
  patients                                    1        1        -
  insurance                                   -        -        1

✖ get fails with <not_found> & "nothing" else
  patients.get.none · section 4.A
    it is not as expected (+ answered, - expected)
    + "a\\u0000b"
    - ‹name 1› </script><script>alert(1)</script>

skipped, because
     1  the fixtures name no plans.accepted

  section of the API document            proved   failed  skipped
  2    Resources and their fields             -        -        -
  3    States and transitions                 -        -        -
  4.A  Endpoints, Group A                     1        1        -
  4.B  Endpoints, Group B                     -        -        1
  8    Limits                                 -        -        -

cleaned up: 2 appointments canceled
left there, because the API cannot take it back: 3 patients, 1 ticket
not cleaned up: appointment a-1 stays: canceling it answered 409 too_late

1 passed, 1 failed, 1 skipped in 1.5 s
`,
    );
  });

  test('fits into 80 columns, also with long names and every case', () => {
    const long = 'word '.repeat(60) + 'x'.repeat(200);
    const cases = contractReport.cases.map((each) => ({
      ...each,
      id: long,
      title: long,
      reason: `${long}\n+ ${long}`,
    }));
    const target = { name: long, how: long, fixtures: long };
    const lines = formatTerminal({ ...contractReport, cases, target }, plain, true).split('\n');
    expect(lines.length).toBeGreaterThan(60);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  test('cuts a difference that would fill the screen', () => {
    const reason = Array.from({ length: 100 }, (_, i) => `+ ${i}`).join('\n');
    const cases = contractReport.cases.map((each) => ({ ...each, reason }));
    expect(formatTerminal({ ...contractReport, cases }, plain)).toContain('… 70 lines more in the other reports');
  });
});
