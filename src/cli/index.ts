#!/usr/bin/env node
import 'reflect-metadata';
import { Command } from 'commander';
import { buildVersion } from '../toolkit/package.ts';
import { commands, listNested } from './commands.ts';
import { exitCodes, report } from './terminal.ts';

/** Commands with their own exit codes, also for wrong options. */
const withExitCodes: ReadonlySet<string> = new Set(['doctor', 'contract']);

const command = process.argv[2] ?? '';

/** The exit code for a program that SIGPIPE ended: the reader of the output, such as `head`, has closed it. */
const UNREAD = 141;
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  // The gateway continues without its log.
  if (command === 'serve') return;
  if (code === 'EPIPE') process.exit(UNREAD);
  process.stderr.write(`standard output cannot be written (${code})\n`);
  process.exit(withExitCodes.has(command) ? exitCodes.cannotRun : 1);
});

// Until the gateway has its own listeners. Without one, the first process of a container ignores these signals.
for (const signal of command === 'serve' ? (['SIGTERM', 'SIGINT'] as const) : []) {
  process.on(signal, () => {
    if (process.listenerCount(signal) === 1) process.exit(0);
  });
}

// Keeps the process alive. Otherwise a command that only waits for promises would end early, with 0.
const working = setInterval(() => undefined, 60_000);
void run(command)
  .catch(report)
  .finally(() => clearInterval(working));

async function run(name: string): Promise<void> {
  const puente = new Command('puente')
    .description('A gateway that serves the Healthcare Institution Integration API in front of any patient system.')
    .version(buildVersion)
    .configureHelp({ subcommandTerm: (command) => `${command.name()} ${command.usage()}` })
    .showHelpAfterError();
  const named = Object.hasOwn(commands, name) ? commands[name] : undefined;
  // Help and an unknown name list all commands.
  for (const command of await Promise.all((named ? [named] : Object.values(commands)).map((load) => load()))) {
    for (const each of listNested(command)) {
      each.copyInheritedSettings(puente);
      if (withExitCodes.has(command.name())) {
        each.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : exitCodes.cannotRun));
      }
    }
    puente.addCommand(command);
  }
  const args = process.argv.slice(2);
  const [, helped] = args;
  // Commander prints its own help for an unknown command. It considers the command `help` itself unknown.
  const isUnknown = name === 'help' && helped !== undefined && !Object.hasOwn(commands, helped);
  await puente.parseAsync(isUnknown ? args.slice(1) : args, { from: 'user' });
}
