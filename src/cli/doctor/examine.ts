import { adapters } from '../../../adapters/index.ts';
import type { Environment } from '../../config/environment.ts';
import { loadConfig } from '../../config/read.ts';
import { withDeadline } from '../../guard/deadline.ts';
import { type Capability, Failure, type Finding, type Readiness } from '../../ports/index.ts';
import { type Composition, compose } from '../../runtime/container.ts';
import { ConfigProblems } from '../../toolkit/problems.ts';
import { examineGateway } from './examine-gateway.ts';
import { OperationsExaminer } from './examine-operations.ts';
import type { Line } from './line.ts';

export interface DoctorOptions {
  readonly config?: string | undefined;
  /** Ids of patients whose records may be looked at. */
  readonly patient?: readonly string[];
  readonly environment: Environment;
}

/**
 * Looks at the gateway, then at each adapter and at what its ports answer. Changes nothing in the institution's system.
 * @throws ConfigProblems when the configuration cannot be used.
 */
async function* examine({ config: file, patient = [], environment }: DoctorOptions): AsyncGenerator<Line> {
  const loaded = await loadConfig({ file, environment, adapters });
  const composition = await compose(loaded);
  try {
    const warnings = [...loaded.warnings, ...composition.warnings];
    for await (const finding of examineGateway(loaded, warnings)) yield { section: 'gateway', ...finding };
    const operations = new OperationsExaminer({ composition, config: loaded.config, patients: patient });
    for (const { name, readiness } of composition.adapters) {
      if (readiness) {
        const timeoutMs = loaded.config.http.readDeadline;
        for (const finding of await describeReport(readiness, timeoutMs)) yield { section: name, ...finding };
      }
      const examination = { signal: new AbortController().signal, uses: listUses(composition, name) };
      let stopped = false;
      let hasGaps = false;
      for await (const finding of readiness?.examine?.(examination) ?? []) {
        stopped ||= finding.stops === true;
        hasGaps ||= finding.explainsGaps === true;
        yield { section: name, ...finding };
      }
      if (stopped) {
        yield { section: name, check: 'operations', ok: null, detail: 'not tried before the ✖ above is mended' };
        continue;
      }
      for await (const finding of operations.examine(name, hasGaps)) yield { section: name, ...finding };
    }
  } finally {
    await composition.close();
  }
}

/** What a gateway would show at `/readyz`, as far as reading tells. */
async function describeReport(readiness: Readiness, timeoutMs: number): Promise<Finding[]> {
  const check = 'readiness';
  try {
    const { backend, impairments } = await withDeadline({ timeoutMs, writes: false }, ({ signal }) =>
      readiness.report(signal, { readsOnly: true }),
    );
    if (impairments.length > 0) return impairments.map(({ code, detail }) => ({ check: code, ok: false, detail }));
    return [{ check, ok: true, detail: backend === undefined ? 'no impairment' : `${backend}, without impairment` }];
  } catch (error) {
    const code = error instanceof Failure ? error.kind : error instanceof Error ? error.name : typeof error;
    const fix = 'this is a fault of the adapter: its report has to say what is wrong';
    return [{ check, ok: false, detail: `the adapter cannot report on itself (${code})`, fix }];
  }
}

/** What the gateway offers by this adapter. */
const listUses = ({ supports, findOwner }: Composition, adapter: string): ReadonlySet<Capability> =>
  new Set([...supports].filter((capability) => findOwner(capability) === adapter));

/** The same, with what makes the configuration unusable as lines. */
export async function* examineAll(options: DoctorOptions): AsyncGenerator<Line> {
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
        fix: 'correct it: nothing else was looked at',
        stops: true,
      };
    }
  }
}
