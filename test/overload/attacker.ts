/**
 * Makes the attack that is named on what its parent describes, and sends what came of it. Whoever is attacked and whoever
 * watches have the processor first: on a network an attacker has one of its own.
 */
import { constants, setPriority } from 'node:os';
import { type Attacked, attacks } from './attacks.ts';

const [name] = process.argv.slice(2) as [keyof typeof attacks];
setPriority(constants.priority.PRIORITY_LOW);
process.once('message', async (attacked: Attacked) => {
  const outcome = await attacks[name](attacked);
  process.send?.(outcome, () => process.exit());
});
process.send?.('ready');
