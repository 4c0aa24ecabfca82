import { loaders } from '../../../adapters/loaders.ts';
import type { Environment } from '../../config/keys.ts';
import { loadConfig } from '../../config/read.ts';
import { withDeadline } from '../../guard/deadline.ts';
import { type Capability, type Examination, Failure, type Finding, type Readiness } from '../../ports/index.ts';
import { type Composition, compose } from '../../runtime/container.ts';
import { buildVersion } from '../../toolkit/package.ts';
import { toPlainJson, wrap } from '../../toolkit/plain-text.ts';
import { ConfigProblems } from '../../toolkit/problems.ts';
import { exitCodes } from '../terminal.ts';
import { examineGateway } from './gateway.ts';
import { OperationsExaminer } from './operations.ts';

export interface RunOptions extends DoctorOptions {
  readonly json?: true | undefined;
}

/** The output for the lines. */
interface Output {
  readonly paint: PaintStyle;
  readonly print: (text: string) => void;
}

/**
 * Prints each line immediately, or all of them as JSON at the end.
 * @returns the exit code.
 */
export async function run({ json, ...options }: RunOptions, output: Output): Promise<number> {
  const { print, paint } = output;
  const lines: DoctorLine[] = [];
  for await (const line of examineAll(options)) {
    if (!json) {
      const before = lines.at(-1)?.section;
      if (line.section !== before) print(`${before === undefined ? '' : '\n'}${paint('bold', line.section)}\n`);
      print(formatLine(line, paint));
    }
    lines.push(line);
  }
  print(json ? formatJson(lines) : `\n${formatSummary(lines, paint)}`);
  if (lines.some(({ section, stops }) => section === 'gateway' && stops)) return exitCodes.cannotRun;
  return lines.some(({ ok }) => ok === false) ? exitCodes.wrong : exitCodes.right;
}

function formatJson(lines: readonly DoctorLine[]): string {
  const healthy = lines.every(({ ok }) => ok !== false);
  const checks = lines.map(({ section, check, ok, detail, fix }) => ({ section, check, ok, detail, fix }));
  return `${toPlainJson({ version: buildVersion, healthy, checks }, 2)}\n`;
}

interface DoctorOptions {
  readonly config?: string | undefined;
  readonly patient?: readonly string[];
  /** An invented patient, for whom changes are made and rolled back. */
  readonly rehearse?: string | undefined;
  readonly environment: Environment;
}

/**
 * Examines the gateway, then each adapter and the answers of its ports. Changes nothing in the institution's system.
 * @throws ConfigProblems if the configuration cannot be used.
 */
async function* examine({
  config: file,
  patient = [],
  rehearse,
  environment,
}: DoctorOptions): AsyncGenerator<DoctorLine> {
  const loaded = await loadConfig({ file, environment, adapters: loaders });
  const composition = await compose(loaded);
  try {
    const warnings = [...loaded.listWarnings(), ...composition.warnings];
    for await (const finding of examineGateway(loaded, warnings)) yield { section: 'gateway', ...finding };
    for (const file of composition.missingFiles) {
      const detail = `the SQLite file ${file} of an adapter does not exist yet: the gateway creates it at its start`;
      yield { section: 'gateway', check: 'database file', ok: null, detail };
    }
    const operations = new OperationsExaminer({ composition, config: loaded.config, patients: patient });
    for (const { name, readiness } of composition.adapters) {
      if (readiness) {
        const timeoutMs = loaded.config.http.readDeadline;
        for (const finding of await describeReport(readiness, timeoutMs)) yield { section: name, ...finding };
      }
      const examination: Examination = {
        signal: new AbortController().signal,
        uses: listUses(composition, name),
        patients: patient,
        inventedPatient: rehearse,
      };
      let stopped = false;
      for await (const finding of readiness?.examine?.(examination) ?? []) {
        stopped ||= finding.stops === true;
        yield { section: name, ...finding };
      }
      if (stopped) {
        yield { section: name, check: 'operations', ok: null, detail: 'skipped until the ✖ above is corrected' };
        continue;
      }
      for await (const finding of operations.examine(name)) yield { section: name, ...finding };
    }
  } finally {
    await composition.close();
  }
}

/** The report that a gateway would show at `/readyz`, as far as reads can determine it. */
async function describeReport(readiness: Readiness, timeoutMs: number): Promise<Finding[]> {
  const check = 'readiness';
  try {
    const { backend, impairments } = await withDeadline(timeoutMs, ({ signal }) =>
      readiness.report(signal, { readsOnly: true }),
    );
    if (impairments.length > 0) return impairments.map(({ code, detail }) => ({ check: code, ok: false, detail }));
    return [{ check, ok: true, detail: backend === undefined ? 'no impairment' : `${backend}, without impairment` }];
  } catch (error) {
    const code = error instanceof Failure ? error.kind : error instanceof Error ? error.name : typeof error;
    const fix = 'report this fault of the adapter: its report must name the problem';
    return [{ check, ok: false, detail: `the adapter cannot report on itself (${code})`, fix }];
  }
}

const listUses = ({ supports, findOwner }: Composition, adapter: string): ReadonlySet<Capability> =>
  new Set([...supports].filter((capability) => findOwner(capability) === adapter));

/** The same, with the problems of an unusable configuration as lines. */
async function* examineAll(options: DoctorOptions): AsyncGenerator<DoctorLine> {
  try {
    yield* examine(options);
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error;
    for (const detail of error.problems) {
      yield {
        section: 'gateway',
        check: 'configuration',
        ok: false,
        detail,
        fix: 'correct it: doctor skipped the rest',
        stops: true,
      };
    }
  }
}

export type Style = 'green' | 'red' | 'dim' | 'bold';
export type PaintStyle = (style: Style, text: string) => string;

const WIDTH = 80;

/** ✔ and ✖; a dot if the check was impossible, or if the operator has to decide. */
const marks = { true: ['✔', 'green'], false: ['✖', 'red'], null: ['·', 'dim'] } as const;

function formatLine({ check, ok, detail, fix }: DoctorLine, paint: PaintStyle): string {
  const [mark, style] = marks[`${ok}`];
  const [first = '', ...rest] = wrap(`${check}: ${detail}`, WIDTH - 4);
  const remedy = fix === undefined || ok === true ? [] : wrap(`→ ${fix}`, WIDTH - 6).map(indent(6));
  return [
    `  ${paint(style, mark)} ${first}`,
    ...rest.map(indent(4)),
    ...remedy.map((line) => paint('dim', line)),
    '',
  ].join('\n');
}

function formatSummary(lines: readonly DoctorLine[], paint: PaintStyle): string {
  const count = (ok: boolean | null) => lines.filter((line) => line.ok === ok).length;
  const [right, wrong, open] = [count(true), count(false), count(null)];
  const [style, mark, word] =
    wrong === 0 ? (['green', '✔', 'healthy'] as const) : (['red', '✖', 'not healthy'] as const);
  return `${paint(style, `${mark} ${word}`)}: ${right} right, ${wrong} wrong, ${open} for you to decide\n`;
}

const indent = (columns: number) => (text: string) => ' '.repeat(columns) + text;

/** One line of the doctor's output. */
export interface DoctorLine extends Finding {
  /** The subject of the line: `gateway`, the name of an adapter, or an operation. */
  readonly section: string;
}
