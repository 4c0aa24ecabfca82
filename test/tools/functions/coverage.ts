/** Loaded into a gateway before its own code: tells its parent, when asked, which functions ran since it was last asked. */
import { Session } from 'node:inspector/promises';

/** A function, and how often it was called. */
export interface CalledFunction {
  /** Below the root of the checkout. */
  readonly file: string;
  /** Empty when the function has no name. */
  readonly name: string;
  /** Offset of its begin, in characters. */
  readonly at: number;
  readonly calls: number;
}

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

const ownFile = /^file:.*?\/((?:src|adapters)\/(?!.*node_modules\/).*)$/;

process.on('message', async () => {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const called = result.flatMap(({ url, functions }) => {
    const [, file] = ownFile.exec(url) ?? [];
    if (file === undefined || url.includes('/node_modules/')) return [];
    return functions.flatMap(({ functionName: name, ranges: [range] }) =>
      range && range.count > 0 ? [{ file, name, at: range.startOffset, calls: range.count }] : [],
    );
  });
  process.send?.(called satisfies CalledFunction[]);
});
process.channel?.unref();
