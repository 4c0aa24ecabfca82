import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { z } from 'zod';
import { loaders } from '../../adapters/loaders.ts';
import { type LoadedConfig, loadConfig } from '../config/read.ts';
import { reloadRequest } from '../runtime/reload.ts';
import { getErrorCode } from '../toolkit/failures.ts';
import { ConfigProblems } from '../toolkit/problems.ts';
import { configOption } from './terminal.ts';

const TIMEOUT_MS = 60_000;

const outcomeSchema = z.object({
  problems: z.array(z.string()),
  changed: z.array(z.string()),
  restart: z.array(z.string()),
});

export const reload = new Command('reload')
  .description('Make the running gateway read its configuration again: tokens, issuers and limits of callers.')
  .addOption(configOption())
  .addHelpText(
    'after',
    `
Sends a request to the gateway at ops.socket, and prints the changes that apply now and those that need a restart.
Exits with 78, and changes nothing, if the configuration is invalid. Exits with 1 if no gateway answers.`,
  )
  .action(async ({ config: file }: { config?: string }) => {
    const loaded = await loadConfig({ file, environment: process.env, adapters: loaders });
    for (const warning of loaded.listWarnings()) process.stderr.write(`warning: ${warning}\n`);
    const socket = requireSocket(loaded);
    const outcome = await ask(socket);
    if (typeof outcome === 'string') {
      process.stderr.write(`${outcome}\n`);
      process.exitCode = 1;
      return;
    }
    const { problems, changed, restart } = outcome;
    if (problems.length > 0)
      throw new ConfigProblems([...problems, 'the gateway continues with its previous configuration']);
    process.stdout.write(`${changed.length > 0 ? `reloaded: ${changed.join(', ')}` : 'nothing to reload'}\n`);
    if (restart.length > 0) process.stdout.write(`needs a restart: ${restart.join(', ')}\n`);
  });

function requireSocket({ config, problem }: LoadedConfig): string {
  if (config.ops.socket !== undefined) return config.ops.socket;
  const what = 'is not set: set it and restart once, or send SIGHUP to the gateway and read its log';
  throw new ConfigProblems([problem(['ops', 'socket'], what)]);
}

/** Returns the outcome, or the reason why it is not known. */
async function ask(socketPath: string) {
  const asked = request({ ...reloadRequest, socketPath, signal: AbortSignal.timeout(TIMEOUT_MS) }).end();
  try {
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    return outcomeSchema.parse(JSON.parse(await text(response)));
  } catch (error) {
    return explainFailure(socketPath, getErrorCode(error));
  }
}

function explainFailure(socket: string, code: string): string {
  if (code === 'ENOENT' || code === 'ECONNREFUSED') return `no gateway answers at ${socket}: nothing was reloaded`;
  if (code === 'EACCES' || code === 'EPERM')
    return `this user may not use ${socket} (${code}), so nothing was reloaded: run the command as the gateway’s user`;
  return `the gateway at ${socket} did not report the outcome: look for \`configuration reloaded\` in its log`;
}
