import { type Profiler, Session } from 'node:inspector/promises';

/** How often functions were called in the code of a group of files, and each by `file functionName`. */
export interface CallCounts {
  /** Of `src` and `adapters`. */
  readonly own: number;
  /** Of packages. */
  readonly dependencies: number;
  /** How often the function of that name in that file was called. */
  of(file: string, functionName: string): number;
}

/** Counts calls of functions as V8 does for coverage: the same on every machine, however busy it is. */
export class CallCounter {
  readonly #session = new Session();

  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post('Profiler.enable');
    await this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  }

  async stop(): Promise<void> {
    await this.#session.post('Profiler.stopPreciseCoverage');
    this.#session.disconnect();
  }

  /** What the work calls; the least of some times, since timers of the process and first calls may come in between. */
  async count(work: () => Promise<unknown>): Promise<CallCounts> {
    const counts: CallCounts[] = [];
    for (let turn = 0; turn < 4; turn++) {
      await this.#take();
      await work();
      counts.push(toCounts(await this.#take()));
    }
    return counts.reduce((a, b) => (b.own + b.dependencies < a.own + a.dependencies ? b : a));
  }

  /** The calls since the last time. */
  async #take(): Promise<readonly Profiler.ScriptCoverage[]> {
    return (await this.#session.post('Profiler.takePreciseCoverage')).result;
  }
}

const countCalls = (functions: readonly Profiler.FunctionCoverage[]): number =>
  functions.reduce((sum, { ranges: [whole] }) => sum + (whole?.count ?? 0), 0);

function toCounts(scripts: readonly Profiler.ScriptCoverage[]): CallCounts {
  const isOwn = ({ url }: Profiler.ScriptCoverage) => /\/(src|adapters)\/(?!.*node_modules)/.test(url);
  // What Jest itself does is nobody's request.
  const isPackage = ({ url }: Profiler.ScriptCoverage) => /node_modules\/(?!@?jest|@swc)/.test(url);
  const sum = (some: readonly Profiler.ScriptCoverage[]) => countCalls(some.flatMap(({ functions }) => functions));
  return {
    own: sum(scripts.filter((script) => !isPackage(script) && isOwn(script))),
    dependencies: sum(scripts.filter(isPackage)),
    of: (file, name) =>
      countCalls(
        scripts
          .filter(({ url }) => url.endsWith(file))
          .flatMap(({ functions }) => functions.filter(({ functionName }) => functionName === name)),
      ),
  };
}
