import { describe, expect, test } from '@jest/globals';
import { parseXml, XmlElement } from '@rgrove/parse-xml';
import { formatJunit } from '../../../src/cli/contract/reports.ts';
import { contractReport } from '../../support/contract-report.ts';

/** What each element of a JUnit file may hold, after the schema of Jenkins: attributes, those required first, and children. */
const schema: Readonly<Record<string, { required: string[]; optional: string[]; children: string[] }>> = {
  testsuites: {
    required: [],
    optional: ['name', 'time', 'tests', 'failures', 'errors', 'skipped'],
    children: ['testsuite'],
  },
  testsuite: {
    required: ['name', 'tests', 'failures', 'errors'],
    optional: ['time', 'skipped', 'timestamp', 'hostname', 'id', 'package', 'file'],
    children: ['properties', 'testcase', 'system-out', 'system-err'],
  },
  testcase: {
    required: ['name', 'classname'],
    optional: ['time', 'assertions', 'file', 'line'],
    children: ['skipped', 'error', 'failure', 'system-out', 'system-err'],
  },
  failure: { required: [], optional: ['message', 'type'], children: [] },
  skipped: { required: [], optional: ['message'], children: [] },
};

const listChildren = ({ children }: XmlElement) =>
  children.filter((each): each is XmlElement => each instanceof XmlElement);

function check(element: XmlElement): void {
  const { name, attributes } = element;
  const { required, optional, children: allowed } = schema[name]!;
  const given = Object.keys(attributes);
  expect(given).toEqual(expect.arrayContaining(required));
  expect(given.filter((each) => ![...required, ...optional].includes(each))).toEqual([]);
  for (const child of listChildren(element)) {
    expect(allowed).toContain(child.name);
    check(child);
  }
}

describe('the JUnit report', () => {
  const { root } = parseXml(formatJunit(contractReport));
  if (!root) throw new Error('there is no root');
  const [patients, insurance] = listChildren(root) as [XmlElement, XmlElement];

  test('has the shape of the schema', () => {
    check(root);
    expect(listChildren(root).map(({ attributes }) => attributes.name)).toEqual(['patients', 'insurance']);
  });

  test('counts what passed, failed and was skipped, and has times in seconds', () => {
    expect(root.attributes).toMatchObject({ tests: '3', failures: '1', errors: '0', skipped: '1', time: '1.500' });
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
    expect(skipped?.attributes.message).toBe('the fixtures name no plans.accepted');
  });
});
