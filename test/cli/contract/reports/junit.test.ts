import { describe, expect, test } from '@jest/globals';
import { formatJunit } from '../../../../src/cli/contract/reports/junit.ts';
import { contractReport } from '../../../support/contract-report.ts';

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

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

/** The root of a well-formed document, with its entities resolved. @throws Error when it is not well-formed. */
function parseXml(xml: string): Element {
  const root: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  const body = xml.replace(/^<\?xml version="1.0" encoding="UTF-8"\?>\n/, '');
  const token = /<\/([\w-]+)>|<([\w-]+)((?: [\w-]+="[^"<]*")*)(\/?)>|([^<]+)/y;
  while (token.lastIndex < body.length) {
    const at = token.lastIndex;
    const [, closing, name, attributes = '', empty, text] = token.exec(body) ?? [];
    const current = open.at(-1)!;
    if (text !== undefined) current.text += resolve(text);
    else if (closing !== undefined) expect(open.pop()!.name).toBe(closing);
    else if (name === undefined) throw new Error(`not well-formed at ${at}`);
    else {
      const pairs = [...attributes.matchAll(/ ([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key!, resolve(value!)]);
      const element = { name, attributes: Object.fromEntries(pairs), children: [], text: '' };
      current.children.push(element);
      if (empty === '') open.push(element);
    }
  }
  expect(open).toEqual([root]);
  return root.children[0]!;
}

function resolve(text: string): string {
  expect(text).not.toMatch(/&(?!(amp|lt|gt|quot|#10);)/);
  const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#10': '\n' };
  return text.replaceAll(/&([^;]+);/g, (_, name: string) => entities[name]!);
}

function check({ name, attributes, children }: Element): void {
  const { required, optional, children: allowed } = schema[name]!;
  const given = Object.keys(attributes);
  expect(given).toEqual(expect.arrayContaining(required));
  expect(given.filter((each) => ![...required, ...optional].includes(each))).toEqual([]);
  for (const child of children) {
    expect(allowed).toContain(child.name);
    check(child);
  }
}

describe('the JUnit report', () => {
  const xml = formatJunit(contractReport);
  const root = parseXml(xml);

  test('has the shape of the schema', () => {
    check(root);
    expect(root.children.map(({ attributes }) => attributes.name)).toEqual(['patients', 'insurance']);
  });

  test('counts what passed, failed and was skipped, and has times in seconds', () => {
    expect(root.attributes).toMatchObject({ tests: '3', failures: '1', errors: '0', skipped: '1', time: '1.500' });
    expect(root.children[0]!.attributes).toMatchObject({ tests: '2', failures: '1', skipped: '0', time: '0.024' });
    // Without milliseconds and zone, as the schema has it.
    expect(root.children[0]!.attributes.timestamp).toBe(
      contractReport.startedAt.slice(0, 'yyyy-mm-ddThh:mm:ss'.length),
    );
  });

  test('has titles and reasons whole, but for what XML cannot hold', () => {
    const [, failed] = root.children[0]!.children;
    expect(failed!.attributes).toMatchObject({
      name: 'patients.get.none: get fails with <not_found> & "nothing" else',
      classname: 'patients.get',
    });
    expect(failed!.children[0]!.text).toContain('+ "a\uFFFDb"\n- ‹name 1› </script>');
    expect(root.children[1]!.children[0]!.children[0]!.attributes.message).toBe('the map names no plans.accepted');
  });
});
