/**
 * A process that is the hospital of a row, or one of its attackers. Whoever is attacked and whoever watches have the processor
 * first: on a network an attacker has one of its own.
 */
import { getPriority, setPriority } from 'node:os';
import { loadRow } from './load-row.ts';
import type { Target } from './row.ts';

const BEHIND = 5;

const [name = '', role, index] = process.argv.slice(2);
const row = await loadRow(name);
if (role === 'hospital') {
  process.send?.(await row.hospital?.());
} else {
  setPriority(Math.min(19, getPriority() + BEHIND));
  process.once('message', async (target: Target) => {
    const outcome = await row.attackers[Number(index)]?.(target);
    process.send?.(outcome, () => process.exit());
  });
  process.send?.('ready');
}
