import { describe, expect, test } from '@jest/globals';
import { parseXml, XmlElement } from '@rgrove/parse-xml';
import type { Paint } from '../../../src/cli/contract/options.ts';
import { formatJunit, formatTerminal } from '../../../src/cli/contract/reports.ts';
import { capabilities } from '../../../src/ports/index.ts';
import { contractReport } from '../../support/contract-report.ts';

const plain: Paint = (_style, text) => text;

describe('the report for a terminal', () => {
  test('says what was proved, what failed and why, what was skipped and why, and what is left', () => {
    expect(formatTerminal(contractReport, plain)).toBe(
      `http://127.0.0.1:8080
over HTTP · level write · 2 of ${capabilities.length} capabilities offered
fixtures: contract.yaml · seed 7

wrong fixtures (their cases are skipped)
  services.bookable: POST /v1/available-slots has no free slot

  port                                   passed   failed  skipped
  patients                                    1        1        -
  insurance                                   -        -        1

✖ get fails with <not_found> & "nothing" else
  patients.get.none · section 4.A
    the answer is not as expected (+ answered, - expected)
    + "a\\u0000b"
    - ‹name 1› </script><script>alert(1)</script>

skipped, because
     1  the fixtures do not name plans.accepted

  section of the API document            proved   failed  skipped
  2    Resources and their fields             -        -        -
  3    States and transitions                 -        -        -
  4.A  Endpoints, Group A                     1        1        -
  4.B  Endpoints, Group B                     -        -        1
  8    Limits                                 -        -        -

cleaned up: 2 appointments canceled
left there, because the API cannot delete it: 3 patients, 1 ticket
not cleaned up: appointment a-1 remains: its cancellation answered 409 too_late

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
    expect(formatTerminal({ ...contractReport, cases }, plain)).toContain('… 70 more lines in the other reports');
  });
});

/** What each element of a JUnit file may hold by junit-10.xsd of Jenkins' xUnit plugin: attributes, those required first, and children. */
const schema: Readonly<Record<string, { required: string[]; optional: string[]; children: string[] }>> = {
  testsuites: {
    required: [],
    optional: ['name', 'time', 'tests', 'failures', 'errors'],
    children: ['testsuite'],
  },
  testsuite: {
    required: ['name', 'tests', 'failures', 'errors'],
    optional: ['time', 'skipped', 'timestamp', 'hostname', 'id', 'package', 'file', 'group', 'log', 'url'],
    children: ['testsuite', 'properties', 'testcase', 'system-out', 'system-err'],
  },
  testcase: {
    required: ['name'],
    optional: ['classname', 'time', 'group'],
    children: ['skipped', 'error', 'failure', 'system-out', 'system-err'],
  },
  failure: { required: [], optional: ['message', 'type'], children: [] },
  skipped: { required: [], optional: ['message', 'type'], children: [] },
};

/** A time in seconds, as the schema has it. */
const time = /^(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?$/;

const listChildren = ({ children }: XmlElement) =>
  children.filter((each): each is XmlElement => each instanceof XmlElement);

function check(element: XmlElement): void {
  const { name, attributes } = element;
  const { required, optional, children: allowed } = schema[name]!;
  const given = Object.keys(attributes);
  expect(given).toEqual(expect.arrayContaining(required));
  expect(given.filter((each) => ![...required, ...optional].includes(each))).toEqual([]);
  if (name !== 'testcase') expect(attributes.time ?? '').toMatch(time);
  for (const child of listChildren(element)) {
    expect(allowed).toContain(child.name);
    check(child);
  }
}

describe('the JUnit report', () => {
  const { root } = parseXml(formatJunit(contractReport));
  if (!root) throw new Error('there is no root');
  const [patients, insurance] = listChildren(root) as [XmlElement, XmlElement];

  test('has the shape of the schema that Jenkins reads', () => {
    check(root);
    expect(listChildren(root).map(({ attributes }) => attributes.name)).toEqual(['patients', 'insurance']);
  });

  test('counts what passed, failed and was skipped, and has times in seconds', () => {
    expect(root.attributes).toMatchObject({ tests: '3', failures: '1', errors: '0', time: '1.500' });
    expect(patients.attributes).toMatchObject({ tests: '2', failures: '1', skipped: '0', time: '0.024' });
    // Without milliseconds and zone, as the schema has it.
    expect(patients.attributes.timestamp).toBe(contractReport.startedAt.slice(0, 'yyyy-mm-ddThh:mm:ss'.length));
  });

  test('has titles and reasons whole, but for what XML cannot hold', () => {
    const [, failed] = listChildren(patients);
    expect(failed!.attributes).toMatchObject({
      name: 'patients.get.none: get fails with <not_found> & "nothing" else',
      classname: 'patients.get',
    });
    expect(failed!.text).toContain('+ "a\uFFFDb"\n- ‹name 1› </script>');
    const [skipped] = listChildren(insurance).flatMap(listChildren);
    expect(skipped?.attributes.message).toBe('the fixtures do not name plans.accepted');
  });
});
