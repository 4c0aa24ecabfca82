import { styleText } from 'node:util';
import { Command, Option } from 'commander';
import { loaders } from '../../adapters/loaders.ts';
import { getGroup, isOffered } from '../api/index.ts';
import { type LoadedConfig, loadConfig } from '../config/read.ts';
import { onlyReadDatabases } from '../database/open-database.ts';
import { listMatrix } from '../runtime/adapters.ts';
import { listAuditNotes } from '../runtime/audit.ts';
import { type Composition, compose } from '../runtime/container.ts';
import { openIssuers } from '../runtime/issuers.ts';
import { importMiddleware, requireStateSecrets } from '../runtime/open.ts';
import { commandLine } from '../toolkit/package.ts';
import { formatTable, toPlainText } from '../toolkit/plain-text.ts';
import { joinProblems } from '../toolkit/problems.ts';
import { configOption } from './terminal.ts';

export const check = new Command('check')
  .description(
    'Check the configuration, and show the operations that the gateway would offer. Sends no requests to the institution’s system.',
  )
  .addOption(configOption())
  .addOption(new Option('--live').hideHelp())
  .on('option:live', () =>
    check.error(`error: check sends no requests: run ${commandLine} doctor, whose --rehearse replaces --patient`),
  )
  .addHelpText(
    'after',
    '\nPrints all problems at once, one per line, and exits with 78 if there are any.\nReads Puente’s own databases of adapters (local, keys), and changes none of them.',
  )
  .action(async ({ config: file }: { config?: string }) => {
    const loaded = await loadConfig({ file, environment: process.env, adapters: loaders });
    const composition = await openAll(loaded);
    const ending = loaded.listCertificates().map(({ detail, fix }) => `${detail}; ${fix}`);
    for (const warning of [...loaded.listWarnings(), ...ending, ...composition.warnings])
      process.stderr.write(`warning: ${toPlainText(warning)}\n`);
    for (const note of [...composition.notes, ...listAuditNotes(loaded.config)])
      process.stderr.write(`note: ${toPlainText(note)}\n`);
    process.stdout.write(`${styleText('green', 'ok')}  ${loaded.file}\n\n${formatMatrix(composition)}\n`);
    await composition.close();
  });

/**
 * Opens everything that a start would open, except the state, of which it only reads the secrets. Databases stay as they
 * are: the notes have what the start would change.
 * @throws ConfigProblems with all problems at once, and nothing stays open.
 */
async function openAll(loaded: LoadedConfig): Promise<Composition> {
  const notes: string[] = [];
  const [composed, ...others] = await Promise.allSettled([
    onlyReadDatabases(notes, () => compose(loaded)),
    openIssuers(loaded),
    requireStateSecrets(loaded),
    importMiddleware(loaded),
  ]);
  const isOpen = others.every(({ status }) => status === 'fulfilled');
  if (composed.status === 'fulfilled' && isOpen) {
    return { ...composed.value, notes: [...notes, ...composed.value.notes] };
  }
  if (composed.status === 'fulfilled') await composed.value.close();
  const reasons = [composed, ...others].flatMap((each): unknown[] => (each.status === 'rejected' ? [each.reason] : []));
  throw joinProblems(reasons);
}

function formatMatrix({ operations, supports, adapters, findOwner }: Composition): string {
  const matrix = listMatrix({ adapters: adapters.map(({ name }) => name), findOwner, supports });
  const rows = matrix.map(({ port, adapter, offered, missing }) => [
    port,
    adapter,
    offered.join(' ') || '-',
    missing.join(' '),
  ]);
  const routes = operations
    .filter((operation) => getGroup(operation) === 'B')
    .map((operation) => [operation.name, operation.route, isOffered(operation, supports) ? '' : 'not offered']);
  return `${formatTable(['port', 'adapter', 'offered', 'not offered'], rows)}\n${formatTable(['group B', 'route', ''], routes)}`;
}
