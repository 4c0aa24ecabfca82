/**
 * Makes the attack that is named on what is described, and sends its parent what came of it. Whoever is attacked and whoever
 * watches have the processor first: on a network an attacker has one of its own.
 */
import { constants, setPriority } from 'node:os';
import { type Attacked, attacks } from './attacks.ts';

const [name, attacked] = process.argv.slice(2) as [keyof typeof attacks, string];
setPriority(constants.priority.PRIORITY_LOW);
const outcome = await attacks[name](JSON.parse(attacked) as Attacked);
process.send?.(outcome, () => process.exit());
