import type { CommandConfig, CommandRecord, Program } from '../../adapters/command.ts';
import { loaders } from '../../adapters/loaders.ts';
import { type LoadedConfig, loadConfig } from '../config/read.ts';
import { compose } from '../runtime/container.ts';
import { withState } from '../runtime/open.ts';
import { configOption, recordCommand } from './terminal.ts';

/** Creates the program that a command of an adapter gets. @param command its name. */
export const createProgram = (command: string): Program => ({
  configOption,
  readConfig: async (file) =>
    toCommandConfig(command, await loadConfig({ file, environment: process.env, adapters: loaders })),
});

function toCommandConfig(command: string, loaded: LoadedConfig): CommandConfig {
  const { config, file, problem } = loaded;
  return {
    file,
    problem,
    institution: config.institution,
    adapters: loaded.adapters
      .filter(({ module }) => module === undefined)
      .map(({ name, builtIn, path }) => {
        const { settings } = (path.length === 1 ? config.adapter : config.adapters[name]) ?? {};
        return { name: builtIn, path: [...path, 'settings'], settings };
      }),
    withPorts: async (work) => {
      const { ports, close } = await compose(loaded);
      try {
        return await work(ports);
      } finally {
        await close();
      }
    },
    record: (done) => record(loaded, command, done),
  };
}

async function record(
  loaded: LoadedConfig,
  command: string,
  { phase = 'ended', ...done }: CommandRecord,
): Promise<void> {
  if (loaded.config.audit.enabled === false) return;
  const status = phase === 'ended' ? 200 : undefined;
  await withState(loaded, async ({ audit }) => {
    if (audit) await recordCommand(audit, { phase, client: `puente ${command}`, status, ...done });
  });
}
