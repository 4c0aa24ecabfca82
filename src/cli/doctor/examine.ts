import { adapters } from '../../../adapters/index.ts';
import type { Environment } from '../../config/environment.ts';
import { ConfigProblems } from '../../config/problems.ts';
import { loadConfig } from '../../config/read.ts';
import type { Capability } from '../../ports/index.ts';
import { type Composition, compose } from '../../runtime/container.ts';
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
      const examination = { signal: new AbortController().signal, uses: listUses(composition, name) };
      let stopped = false;
      for await (const finding of readiness?.examine?.(examination) ?? []) {
        stopped ||= finding.stops === true;
        yield { section: name, ...finding };
      }
      if (stopped) {
        yield { section: name, check: 'operations', ok: null, detail: 'not tried before the ✖ above is mended' };
        continue;
      }
      for await (const finding of operations.examine(name)) yield { section: name, ...finding };
    }
  } finally {
    await composition.close();
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
