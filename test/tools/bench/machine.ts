import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';

type Versions = Readonly<Record<'dependencies' | 'devDependencies', Readonly<Record<string, string>>>>;

/** Lines that say on what was measured. The load is that of the minute before. */
export function describeMachine(): string[] {
  const [cpu] = cpus();
  const { dependencies, devDependencies }: Versions = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'),
  );
  const versions = { ...dependencies, ...devDependencies };
  const peers = ['express', 'http-proxy-middleware', 'axios', 'zod'];
  return [
    `${cpus().length} x ${cpu?.model.trim() || 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GB, ${type()} ${release()}; load average before the run ${loadavg()[0]?.toFixed(1)}`,
    `Node ${process.versions.node}, ${peers.map((name) => `${name} ${versions[name]}`).join(', ')}`,
  ];
}
