import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Institution } from '../../../adapters/adapter.ts';
import type { MappingFile } from '../../../adapters/mapping/file/schema.ts';
import type { SourceExchange } from '../../../adapters/mapping/sources/source.ts';
import { ConfigProblems, explainIssue, formatPath } from '../../toolkit/problems.ts';
import { formatYaml, YamlFile } from '../../toolkit/yaml-file.ts';
import { checkNames, defaultInstitution, findEntry, load, type Outcome, run, use } from './open.ts';
import { openStandIn } from './rehearse.ts';

const texts = z.string().or(z.array(z.string()));

const mappingTest = z
  .strictObject({
    name: z.string().min(1),
    /** A question or a change, e.g. `patients.byId`. */
    ask: z.string().optional(),
    change: z.string().optional(),
    with: z.record(z.string(), z.unknown()).default({}),
    answer: texts.optional(),
    status: z.int().min(200).max(599).optional(),
    rows: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))).optional(),
    changed: z.int().min(0).optional(),
    /** What was sent, or a part of it; blanks do not count. */
    sent: texts.optional(),
    gives: z.unknown().optional(),
    /** The field of each record that does not fit. */
    leavesOut: z.array(z.string()).optional(),
    fails: z.string().optional(),
  })
  .refine(({ ask, change }) => (ask === undefined) !== (change === undefined), 'has to have ask, or change')
  .refine(
    ({ sent, gives, leavesOut, fails }) => [sent, gives, leavesOut, fails].some((each) => each !== undefined),
    'expects nothing; add sent, gives, leavesOut or fails',
  );

/** A test of a mapping file: what is asked, what the system answers, and what comes of it. */
type MappingTest = z.output<typeof mappingTest>;

const hints = { option: 'its path after the command', example: 'the tests in examples/mapping-sql' };

export interface Difference {
  readonly of: 'sent' | 'gives' | 'leavesOut' | 'fails';
  readonly expected: unknown;
  readonly found: unknown;
}

/** Tests of a mapping file. */
export class TestFile {
  readonly tests: readonly MappingTest[];
  readonly #source: YamlFile;

  /** @throws ConfigProblems with all that is wrong with it. */
  constructor(path: string) {
    this.#source = new YamlFile(path, hints);
    const { data, error } = z.array(mappingTest).safeParse(this.#source.toList(), { error: explainIssue });
    const problems = error?.issues.map(
      ({ path: at, message }) => `${this.#source.findPlace(at)} ${formatPath(at).slice(1)}: ${message}`,
    );
    if (!data) throw new ConfigProblems(problems ?? []);
    this.tests = data;
  }

  findPlace(index: number): string {
    return this.#source.findPlace([index]);
  }
}

/** What comes of a test, without the system. */
export function play(test: Omit<MappingTest, 'name'>, file: MappingFile, institution: Institution): Promise<Outcome> {
  const entry = findEntry(test.ask ?? test.change ?? '', file);
  checkNames(test.with, entry);
  return use(file, institution, (hospital) => run(hospital, entry, test.with), openStandIn(test));
}

function listDifferences(test: MappingTest, { exchanges, gives, fails, omitted }: Outcome): Difference[] {
  const wasSent = (expected: string) => exchanges.some((each) => isSame(each, squeeze(expected)));
  const found = JSON.parse(JSON.stringify(gives ?? null)) as unknown;
  const leavesOut = omitted.map(({ element }) => element);
  const sent = exchanges.map((each) => each.sent);
  const differences: (Difference & { readonly isThere: boolean })[] = [
    { of: 'sent', expected: test.sent, found: sent, isThere: ![test.sent ?? []].flat().every(wasSent) },
    { of: 'fails', expected: test.fails, found: fails, isThere: test.fails !== fails },
    {
      of: 'leavesOut',
      expected: test.leavesOut ?? [],
      found: leavesOut,
      isThere: !isDeepStrictEqual(test.leavesOut ?? [], leavesOut),
    },
    {
      of: 'gives',
      expected: test.gives,
      found,
      isThere: test.gives !== undefined && !isDeepStrictEqual(test.gives, found),
    },
  ];
  return differences.filter(({ isThere }) => isThere);
}

/** A request as a whole; of a statement a part is enough. */
const isSame = ({ sent, status }: SourceExchange, expected: string): boolean =>
  status === undefined ? squeeze(sent).includes(expected) : squeeze(sent) === expected;
const squeeze = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

type Print = (text: string) => void;

/**
 * Runs the tests of files such as `his.test.yaml` over the mapping file beside each, `his.yaml`; the file itself stands for
 * its tests, too.
 * @param file another mapping file, for all of them.
 * @returns how many failed.
 */
export async function runTests(paths: readonly string[], file: string | undefined, print: Print): Promise<number> {
  let failed = 0;
  for (const path of paths) {
    const beside = path.replace(/(\.test)?(?=\.ya?ml$)/, '');
    const isMapping = file === undefined && path === beside;
    const tests = isMapping ? path.replace(/(?=\.ya?ml$)/, '.test') : path;
    if (isMapping && !existsSync(tests)) throw new ConfigProblems([explainPlace(tests, path)]);
    const source = new TestFile(tests);
    if (file === undefined && !existsSync(beside)) throw new ConfigProblems([explainPlace(path, beside)]);
    const mapping = load(file ?? beside);
    for (const [index, test] of source.tests.entries()) {
      const differences = listDifferences(test, await play(test, mapping, defaultInstitution));
      if (differences.length > 0) failed++;
      const place = source.findPlace(index);
      print(differences.length === 0 ? `ok    ${test.name}\n` : `FAIL  ${test.name} (${place})\n`);
      for (const difference of differences) print(formatDifference(difference));
    }
  }
  print(failed === 0 ? 'all passed\n' : `${failed} failed\n`);
  return failed;
}

/** Which of two files that belong together is missing. */
const explainPlace = (tests: string, mapping: string): string =>
  `${existsSync(tests) ? mapping : tests} is not there: the tests of NAME.yaml stand beside it in NAME.test.yaml; name other files by mapping test TESTS.yaml --file MAPPING.yaml`;

const indent = (text: string): string => text.trimEnd().replaceAll(/^/gm, '      ');

const formatDifference = ({ of, expected, found }: Difference): string =>
  `${indent(formatYaml({ [of]: { expected: expected ?? 'nothing', found: found ?? 'nothing' } }))}\n`;
