import { createOperations } from './comparisons/memory.ts';
import type { GatewayConfigs } from './gateway-config.ts';
import { buildHospital } from './hospital.ts';
import { runClosedLoop } from './load/load.ts';
import { startGateway, startServer } from './processes.ts';
import { formatTable } from './report.ts';
import { sumByFile } from './self-time.ts';
import { formatNumber } from './statistics.ts';
import { repeatRead } from './variant.ts';

const ROWS = 20;

/** A table for each of the common operations: the files in which its CPU is used, the first twenty. */
export async function* profileOperations(configs: GatewayConfigs, seconds: number): AsyncGenerator<string> {
  const token = configs.tokens.opaque;
  const memory = configs.writeMemory(buildHospital());
  const backend = await startServer('backend.ts', '0');
  const operations = { ...createOperations(token), 'FHIR read': repeatRead('/patients/ana', token) };
  for (const [name, requests] of Object.entries(operations)) {
    const gateway = await startGateway(name === 'FHIR read' ? configs.writeFhir(backend.port) : memory);
    const load = { connections: 16, seconds };
    await runClosedLoop(gateway.port, requests, load);
    await gateway.ask('profile');
    const { completed } = await runClosedLoop(gateway.port, requests, load);
    const { cpu, profile } = await gateway.ask();
    gateway.stop();
    if (!profile) throw new Error('no profile came');
    const rows = sumByFile(profile).slice(0, ROWS);
    const title = `**${name}**: ${formatNumber((1_000 * cpu) / completed)} µs of CPU, profiled`;
    const lines = rows.map(({ file, micros, busiest, share }) => [
      file,
      formatNumber(micros / completed),
      `${(100 * share).toFixed(1)} %`,
      busiest,
    ]);
    yield `${title}\n${formatTable(['file', 'self, µs', 'share', 'most of it in'], lines)}`;
  }
  backend.stop();
}
