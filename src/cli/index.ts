#!/usr/bin/env node
import 'reflect-metadata';
import { Command } from 'commander';
import { commandLoaders } from '../../adapters/loaders.ts';
import { buildVersion } from '../toolkit/package.ts';
import { exitCodes, report } from './terminal.ts';

/** Each command is loaded separately, because the gateway does not need the modules of the others. */
const own: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serve,
  check: async () => (await import('./check.ts')).check,
  doctor: async () => (await import('./doctor/index.ts')).doctor,
  adapter: async () => (await import('./adapter.ts')).adapter,
  contract: async () => (await import('./contract/index.ts')).contract,
  reload: async () => (await import('./reload.ts')).reload,
  token: async () => (await import('./token.ts')).token,
  audit: async () => (await import('./audit.ts')).audit,
  state: async () => (await import('./state.ts')).state,
  openapi: async () => (await import('./openapi.ts')).openapi,
};

const ofAdapters = Object.entries(commandLoaders).map(
  ([name, load]) =>
    [
      name,
      async (): Promise<Command> => {
        const [createCommand, { createProgram }] = await Promise.all([load(), import('./program.ts')]);
        return createCommand(createProgram(name));
      },
    ] as const,
);

const commands: Readonly<Record<string, () => Promise<Command>>> = { ...own, ...Object.fromEntries(ofAdapters) };

/** Commands with their own exit codes, also for wrong options. */
const withExitCodes: ReadonlySet<string> = new Set(['doctor', 'contract']);

const command = process.argv[2] ?? '';

/** The exit code for a program that SIGPIPE ended: the reader of the output, such as `head`, has closed it. */
const UNREAD = 141;
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  // The gateway continues without its log.
  if (code === 'EPIPE' && command !== 'serve') process.exit(UNREAD);
});

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
    for (const each of [command, ...command.commands.flatMap((inner) => [inner, ...inner.commands])]) {
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
