import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import autocannon from 'autocannon';
import { Log } from '../../src/ports/index.ts';
import { buildPatients } from './hospital.ts';
import { createMemoryGateway } from './memory-gateway.ts';
import { computeQuantile } from './statistics.ts';

/** How many patients each hospital has, the one that the others are compared with first. */
const SIZES = [60, 1_000, 1_000_000];
const ROUNDS = 7;
const SECONDS = 1;

class Silence extends Log {
  override write(): void {}
}

interface Served {
  readonly size: number;
  readonly url: string;
  readonly seconds: number;
  readonly bytesEach: number;
  close(): void;
}

/** Of this benchmark alone. */
const token = 'puente_00000000_a-token-of-the-benchmark-with-every-scope';

async function serve(size: number): Promise<Served> {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const begun = performance.now();
  const app = await createMemoryGateway({
    world: buildPatients(size),
    log: new Silence(),
    token,
  });
  const seconds = (performance.now() - begun) / 1_000;
  globalThis.gc?.();
  const bytesEach = (process.memoryUsage().heapUsed - before) / size;
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { size, url: `http://127.0.0.1:${port}`, seconds, bytesEach, close: () => server.close() };
}

/** Requests per second with ids drawn from the whole hospital, so that no cache flatters the large one. */
async function rate({ url, size }: Served, path: (i: number) => string): Promise<number> {
  const requests = Array.from({ length: 2_000 }, () => ({ path: path(Math.floor(Math.random() * size)) }));
  const result = await autocannon({
    url,
    headers: { authorization: `Bearer ${token}` },
    connections: 16,
    duration: SECONDS,
    requests,
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} answers were not 200`);
  return result.requests.average;
}

const median = (values: readonly number[]): number => computeQuantile(values, 0.5);

const paths = {
  'GET /patients/{id}': (i: number) => `/patients/patient-${i}`,
  'GET /patients/search by identifier': (i: number) =>
    `/patients/search?identifier_type=DNI&identifier=${10_000_000 + i}`,
};

const hospitals: Served[] = [];
for (const size of SIZES) hospitals.push(await serve(size));
process.stdout.write('patients   loaded in   bytes each\n');
for (const { size, seconds, bytesEach } of hospitals) {
  process.stdout.write(`${String(size).padEnd(11)}${`${seconds.toFixed(2)} s`.padEnd(12)}${Math.round(bytesEach)}\n`);
}
for (const [name, path] of Object.entries(paths)) {
  const rates = new Map<Served, number[]>(hospitals.map((served) => [served, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [served, seen] of rates) seen.push(await rate(served, path));
  }
  process.stdout.write(`\n${name}\n`);
  const [first] = [...rates.values()].map(median);
  for (const [{ size }, seen] of rates) {
    const ratio = (first ?? 0) / median(seen);
    process.stdout.write(
      `${String(size).padEnd(11)}${Math.round(median(seen))} requests/s, costs ${ratio.toFixed(2)} times as much as with ${SIZES[0]}\n`,
    );
  }
}
for (const { close } of hospitals) close();
