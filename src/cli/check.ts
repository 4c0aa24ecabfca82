import { styleText } from 'node:util';
import { Command } from 'commander';
import { adapters } from '../../adapters/index.ts';
import { getGroup, isOffered } from '../api/index.ts';
import { examineIssuer, lookAtIssuer } from '../auth/examine.ts';
import type { JwtSettings } from '../auth/jwt.ts';
import { type LoadedConfig, loadConfig } from '../config/read.ts';
import { listMatrix } from '../runtime/adapters.ts';
import { listAuditNotes } from '../runtime/audit.ts';
import { type Composition, compose } from '../runtime/container.ts';
import { openIssuers } from '../runtime/issuers.ts';
import { importMiddleware, requireStateSecrets } from '../runtime/open.ts';
import { ConfigProblems, joinProblems } from '../toolkit/problems.ts';
import { describeReport } from './doctor/run.ts';
import { examineLive } from './mapping/examine.ts';
import { locateAll } from './mapping/open.ts';
import { configOption, formatTable, toPlainText } from './terminal.ts';

export const check = new Command('check')
  .description('Check the configuration and show the operations that the gateway would offer.')
  .addOption(configOption())
  .option(
    '--patient <id>',
    'with --live: an invented patient, for whom changes are made in transactions that are undone',
  )
  .option('--live', 'ask the system, too: what a mapping file says of it, and whether each adapter can do its work')
  .addHelpText('after', '\nPrints all problems at once, one per line, and exits with 78 if there are any.')
  .action(async ({ config: file, live, patient }: { config?: string; live?: true; patient?: string }) => {
    const loaded = await loadConfig({ file, environment: process.env, adapters });
    const { composition, issuers } = await openAll(loaded);
    const impairments = await Promise.all(issuers.map(describeIssuer));
    const ending = loaded.certificates.map(({ detail, fix }) => `${detail}; ${fix}`);
    for (const warning of [...loaded.warnings, ...ending, ...composition.warnings, ...impairments.flat()])
      process.stderr.write(`warning: ${toPlainText(warning)}\n`);
    for (const note of [...composition.notes, ...listAuditNotes(loaded.config)])
      process.stderr.write(`note: ${toPlainText(note)}\n`);
    process.stdout.write(`${styleText('green', 'ok')}  ${loaded.file}\n\n${formatMatrix(composition)}\n`);
    const problems = live ? await examineSystems(loaded, composition, patient) : [];
    await composition.close();
    if (problems.length > 0) throw new ConfigProblems(problems);
  });

/**
 * What a start would open, but for the state, of which only the secrets are looked for.
 * @throws ConfigProblems with all problems at once; nothing stays open then.
 */
async function openAll(loaded: LoadedConfig) {
  const [composed, opened, ...others] = await Promise.allSettled([
    compose(loaded),
    openIssuers(loaded),
    requireStateSecrets(loaded),
    importMiddleware(loaded),
  ]);
  const isOpen = others.every(({ status }) => status === 'fulfilled');
  if (composed.status === 'fulfilled' && opened.status === 'fulfilled' && isOpen) {
    return { composition: composed.value, issuers: opened.value };
  }
  if (composed.status === 'fulfilled') await composed.value.close();
  const reasons = [composed, opened, ...others].flatMap((each): unknown[] =>
    each.status === 'rejected' ? [each.reason] : [],
  );
  throw joinProblems(reasons);
}

/** Milliseconds for an adapter to ask its system. */
const LIVE_TIMEOUT = 30_000;

/** What the systems of the adapters say is wrong; of a mapping file, at which of its keys. */
async function examineSystems(
  loaded: LoadedConfig,
  { adapters }: Composition,
  patient: string | undefined,
): Promise<readonly string[]> {
  const reported = await Promise.all(
    adapters.map(async ({ name, readiness }) => {
      const findings = readiness ? await describeReport(readiness, LIVE_TIMEOUT) : [];
      return findings.flatMap(({ ok, detail }) => (ok === false ? [`${name}: ${detail}`] : []));
    }),
  );
  const note = (line: string) => void process.stdout.write(`live  ${toPlainText(line)}\n`);
  const examined: string[] = [];
  for (const located of locateAll(loaded)) examined.push(...(await examineLive(located, note, patient)));
  return [...reported.flat(), ...examined];
}

/** What is wrong with an issuer at present. A gateway starts all the same: a provider may be down for a while. */
async function describeIssuer(issuer: JwtSettings): Promise<readonly string[]> {
  await lookAtIssuer(issuer);
  return examineIssuer(issuer).flatMap(({ ok, detail, fix }) => (ok === false ? [`auth: ${detail}; ${fix}`] : []));
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
