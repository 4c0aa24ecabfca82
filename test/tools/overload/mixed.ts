import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listRows, loadRow } from './load-row.ts';
import { startAttacker, startGateway, startWatcher } from './processes.ts';

/** Seconds between two figures. */
const EVERY = 10;
/** How much more memory the last third of the time may take than the second; the first is that in which it is reached. */
const GROWTH = 1.1;

const toMegabytes = (bytes: number): number => Math.round(bytes / 1e6);

/**
 * Runs the attackers of all rows that need no hospital and no configuration of their own at once, for so many seconds on one
 * gateway, and prints its memory every ten seconds, and who was not answered. Resolves to what does not hold, in a sentence: it
 * lives, and in the last third its memory does not grow any more.
 */
export async function measureMixed(seconds: number): Promise<readonly string[]> {
  const rows = await Promise.all(listRows().map(async (name) => ({ name, row: await loadRow(name) })));
  const mixed = rows.filter(({ row }) => !row.hospital && !row.environment);
  process.stdout.write(`${mixed.map(({ name }) => name).join(', ')}\n`);
  const ends = new AsyncDisposableStack();
  try {
    const folder = await mkdtemp(join(tmpdir(), 'puente-overload-'));
    ends.defer(() => rm(folder, { recursive: true, force: true }));
    const gateway = await startGateway(folder, {}, ends);
    const watcher = startWatcher(gateway, { title: 'mixed', attackers: [] }, ends);
    const attacks = await Promise.all(
      mixed.flatMap(({ name, row }) =>
        row.attackers.map(async (_, index) => ({ index, attack: await startAttacker(name, index, ends) })),
      ),
    );
    const over = Promise.all(attacks.map(({ attack, index }) => attack({ ...gateway.target, seconds, index })));
    const samples: number[] = [];
    for (let passed = EVERY; passed <= seconds; passed += EVERY) {
      await sleep(1_000 * EVERY);
      const { memory, failed } = await watcher.look();
      samples.push(memory);
      const unanswered = Object.entries(failed).map(([what, count]) => `, ${count} x ${what}`);
      process.stdout.write(`${passed} s: ${toMegabytes(memory)} MB${unanswered.join('')}\n`);
    }
    await over;
    const third = Math.floor(samples.length / 3);
    const [second, last] = [samples.slice(third, -third), samples.slice(-third)].map((part) => Math.max(...part));
    const death = gateway.died();
    return [
      ...(death === undefined ? [] : [death]),
      ...(last! > GROWTH * second! ? [`memory grew from ${toMegabytes(second!)} to ${toMegabytes(last!)} MB`] : []),
    ];
  } finally {
    await ends.disposeAsync();
  }
}
