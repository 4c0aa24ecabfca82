import { spawnSync } from 'node:child_process';
import { test } from '@jest/globals';

/** A shell into which a reader pastes a block of commands. */
interface Shell {
  readonly name: 'bash' | 'zsh' | 'fish';
  /** The arguments by which it runs the next one, without files of the user. */
  readonly run: readonly string[];
  /** The argument by which it runs nothing, and says what it does not understand. */
  readonly check: string;
}

const shells: readonly Shell[] = [
  { name: 'bash', run: ['--norc', '-c'], check: '-n' },
  { name: 'zsh', run: ['-f', '-c'], check: '-n' },
  { name: 'fish', run: ['--no-config', '-c'], check: '--no-execute' },
];

/** A test for each shell, skipped with the reason where the shell, or another program that it needs, is missing. */
export function testInShells(title: string, run: (shell: Shell) => void | Promise<void>, ...programs: string[]): void {
  for (const shell of shells) {
    const missing = [shell.name, ...programs].find((program) => spawnSync(program, ['--version']).error);
    const name = `${title}: ${shell.name}`;
    if (missing === undefined) test(name, () => run(shell), 60_000);
    else test.skip(`${name} (skipped: there is no ${missing} here)`, () => undefined);
  }
}
