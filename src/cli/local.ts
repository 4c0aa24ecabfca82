import { styleText } from 'node:util';
import { Command, InvalidArgumentError } from 'commander';
import { adapters } from '../../adapters/index.ts';
import { local as localAdapter, openStore } from '../../adapters/local/index.ts';
import type { LocalStore } from '../../adapters/local/store.ts';
import {
  createRequestWorklist,
  createTicketWorklist,
  type WorkFilter,
  type WorkItem,
  type Worklist,
} from '../../adapters/local/worklist.ts';
import { type LoadedConfig, loadConfig } from '../config/read.ts';
import { Failure } from '../ports/index.ts';
import { withState } from '../runtime/open.ts';
import { StateUnavailable } from '../state/state.ts';
import { getErrorCode } from '../toolkit/failures.ts';
import { ConfigProblems, SettingsProblem, toConfigProblems } from '../toolkit/problems.ts';
import { configOption, formatTable, type Recorded, recordCommand, toPlainJson, toPlainText } from './terminal.ts';

interface Options {
  readonly config?: string;
  readonly json?: true;
}

interface Outcome {
  readonly json: unknown;
  readonly text: string;
}

type Done = Pick<Recorded, 'interaction' | 'patients' | 'ids' | 'query'> & Partial<Pick<Recorded, 'phase'>>;

/**
 * Leaves a record in the audit trail, if there is one.
 * @throws StateUnavailable when it cannot be written.
 */
type RecordCommand = (done: Done) => Promise<void>;

export const local = new Command('local')
  .description('Work on what the adapter local keeps: tickets, and requests for another main practitioner.')
  .addCommand(createCommand('tickets', 'List, show and process tickets.', createTicketWorklist))
  .addCommand(createCommand('change-requests', 'The same for requests for a change.', createRequestWorklist));

function createCommand(name: string, description: string, open: (store: LocalStore) => Worklist): Command {
  const list = new Command('list')
    .description('List them, the newest first, without what the patients wrote.')
    .option('--status <status>', 'only those with this status')
    .option('--patient <id>', 'only those of this patient')
    .option('--limit <number>', 'at most so many', parseLimit, 50)
    .action(async ({ status, patient, limit, ...options }: Options & WorkFilter) =>
      run(`${name} list`, options, open, async (worklist, record) => {
        const items = await worklist.list({ status, patient, limit });
        const query = new URLSearchParams({ ...(status && { status }), limit: `${limit}` });
        const patients = patient === undefined ? items.map(({ patientId }) => patientId) : [patient];
        await record({ interaction: 'search', patients, query: `${query}` });
        return { json: items, text: formatItems(items) };
      }),
    );

  const show = new Command('show')
    .description('Show one, with what the patient wrote.')
    .argument('<id>')
    .addHelpText('after', '\nThe contents of files are in the output of --json, in base64.')
    .action(async (id: string, options: Options) =>
      run(`${name} show`, options, open, async (worklist, record) => {
        const item = await worklist.show(id);
        await record({ interaction: 'read', patients: [item.patientId], ids: { id } });
        return { json: item, text: formatItem(item) };
      }),
    );

  const setStatus = new Command('set-status')
    .description('Set the status that the patient sees, a word of the institution such as completed.')
    .argument('<id>')
    .argument('<status>', 'at most 100 characters', parseStatus)
    .action(async (id: string, status: string, options: Options) =>
      run(`${name} set-status`, options, open, async (worklist, record) => {
        const { status: before, patientId } = await worklist.find(id);
        const recorded = { interaction: 'update', patients: [patientId], ids: { id } } as const;
        await record({ ...recorded, phase: 'begun' });
        await worklist.setStatus(id, status);
        await record(recorded);
        const text = `${styleText('green', 'ok')}  ${id}: ${toPlainText(before)} -> ${status}\n`;
        return { json: { id, status, before }, text };
      }),
    );

  const command = new Command(name).description(description);
  for (const each of [list, show, setStatus]) {
    command.addCommand(each.option('--json', 'print JSON').addOption(configOption()));
  }
  return command;
}

/** Works in the database of the configuration, and prints what came of it, or why it failed; then exits with 1. */
async function run(
  name: string,
  { config: file, json }: Options,
  open: (store: LocalStore) => Worklist,
  work: (worklist: Worklist, record: RecordCommand) => Promise<Outcome>,
): Promise<void> {
  const loaded = await loadConfig({ file, environment: process.env, adapters });
  const store = await openConfiguredStore(loaded);
  try {
    const outcome = await work(open(store), (recorded) => record(loaded, `local ${name}`, recorded));
    process.stdout.write(json ? `${toPlainJson(outcome.json, 2)}\n` : outcome.text);
  } catch (error) {
    if (!(error instanceof Failure || error instanceof StateUnavailable)) throw error;
    const code = getErrorCode(error instanceof Failure ? error.cause : error);
    process.stderr.write(`${toPlainText(error.message)}${code && ` (${code})`}\n`);
    process.exitCode = 1;
  } finally {
    await store.close();
  }
}

/** @throws ConfigProblems when there is no adapter `local`, or its database cannot be opened. */
async function openConfiguredStore(loaded: LoadedConfig): Promise<LocalStore> {
  const [, ...further] = loaded.adapters;
  const key = further.find(({ adapter }) => adapter === localAdapter)?.name;
  if (key === undefined) throw new ConfigProblems([loaded.problem(['adapters'], 'names no adapter local')]);
  try {
    const settings = localAdapter.settings.parse(loaded.config.adapters[key]?.settings);
    return await openStore(settings, loaded.config.institution);
  } catch (error) {
    if (!(error instanceof SettingsProblem)) throw error;
    throw toConfigProblems(error, ['adapters', key, 'settings'], loaded.problem);
  }
}

async function record(loaded: LoadedConfig, operation: string, done: Done): Promise<void> {
  if (loaded.config.audit.enabled === false) return;
  const { phase = 'ended', ...rest } = done;
  const status = phase === 'ended' ? 200 : undefined;
  await withState(loaded, async ({ audit }) => {
    if (audit) await recordCommand(audit, { phase, operation, client: 'puente local', status, ...rest });
  });
}

function formatItems(items: readonly WorkItem[]): string {
  const [first] = items;
  if (!first) return 'There are none.\n';
  const head = Object.keys(first);
  return formatTable(
    head,
    items.map((item) => head.map((name) => toPlainText(String(item[name] ?? '-')))),
  );
}

function formatItem(item: Awaited<ReturnType<Worklist['show']>>): string {
  const { fields, ...values } = { fields: [], ...item };
  const rows = [
    ...Object.entries(values).map(([name, value]) => [name, String(value ?? '-')]),
    ...fields.map(({ id, dataType, value }) => [
      `field ${id}`,
      dataType === 'file' ? `(a file of ${Buffer.byteLength(value, 'base64')} bytes)` : value,
    ]),
  ];
  return formatTable(
    ['name', 'value'],
    rows.map((row) => row.map(toPlainText)),
  );
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 10_000) return limit;
  throw new InvalidArgumentError('It must be a whole number from 1 to 10000.');
}

function parseStatus(text: string): string {
  if (/^\S(.{0,98}\S)?$/u.test(text) && text === toPlainText(text)) return text;
  throw new InvalidArgumentError('It must have 1 to 100 visible characters, without spaces around it.');
}
