import type { Command } from 'commander';
import { commandLoaders } from '../../adapters/loaders.ts';

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

/** Every command of `puente` by its name. */
export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  ...own,
  ...Object.fromEntries(ofAdapters),
};

/** The command, and the commands below it. */
export const listNested = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap((inner) => [inner, ...inner.commands]),
];
