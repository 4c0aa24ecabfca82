import { existsSync } from 'node:fs';
import { styleText } from 'node:util';
import { Command, InvalidArgumentError } from 'commander';
import { Failure } from '../../src/ports/index.ts';
import { StateUnavailable } from '../../src/state/state.ts';
import { getErrorCode } from '../../src/toolkit/failures.ts';
import { formatTable, toPlainJson, toPlainText } from '../../src/toolkit/plain-text.ts';
import { ConfigProblems, SettingsProblem, toConfigProblems } from '../../src/toolkit/problems.ts';
import type { CommandConfig, CommandRecord, Program } from '../command.ts';
import { openStore } from './index.ts';
import { settings as settingsSchema } from './settings.ts';
import type { LocalStore } from './store.ts';
import {
  createRequestWorklist,
  createTicketWorklist,
  type WorkFilter,
  type WorkItem,
  type Worklist,
} from './worklist.ts';

interface LocalArguments {
  readonly config?: string;
  readonly json?: true;
}

interface CommandOutcome {
  readonly json: unknown;
  readonly text: string;
}

/**
 * Writes a record to the audit trail, if there is one.
 * @throws StateUnavailable when it cannot be written.
 */
type RecordCommand = (done: Omit<CommandRecord, 'operation'>) => Promise<void>;

export const createLocalCommand = (program: Program): Command =>
  new Command('local')
    .description('Work on what the adapter local keeps: tickets, and requests for another main practitioner.')
    .addCommand(createCommand('tickets', 'List, show and process tickets.', { program, open: createTicketWorklist }))
    .addCommand(
      createCommand('change-requests', 'The same for requests for a change.', { program, open: createRequestWorklist }),
    );

/** The items of a command. */
interface Work {
  readonly program: Program;
  readonly open: (store: LocalStore) => Worklist;
}

function createCommand(name: string, description: string, on: Work): Command {
  const list = new Command('list')
    .description('List them, the newest first, without what the patients wrote.')
    .option('--status <status>', 'only those with this status')
    .option('--patient <id>', 'only those of this patient')
    .option('--limit <number>', 'maximum number', parseLimit, 50)
    .action(async ({ status, patient, limit, ...options }: LocalArguments & WorkFilter) =>
      run(`${name} list`, options, on, async (worklist, record) => {
        const found = await worklist.list({ status, patient, limit: limit + 1 });
        const items = found.slice(0, limit);
        const query = new URLSearchParams({ ...(status && { status }), limit: `${limit}` });
        const patients = patient === undefined ? items.map(({ patientId }) => patientId) : [patient];
        await record({ interaction: 'search', patients, query: `${query}` });
        return { json: items, text: formatItems(items, found.length > limit) };
      }),
    );

  const show = new Command('show')
    .description('Show one, with what the patient wrote.')
    .argument('<id>')
    .addHelpText('after', '\nThe contents of files are in the output of --json, in base64.')
    .action(async (id: string, options: LocalArguments) =>
      run(`${name} show`, options, on, async (worklist, record) => {
        const item = await worklist.show(id);
        await record({ interaction: 'read', patients: [item.patientId], ids: { id } });
        return { json: item, text: formatItem(item) };
      }),
    );

  const setStatus = new Command('set-status')
    .description('Set the status that the patient sees, a word of the institution such as completed.')
    .argument('<id>')
    .argument('<status>', 'at most 100 characters', parseStatus)
    .action(async (id: string, status: string, options: LocalArguments) =>
      run(`${name} set-status`, options, on, async (worklist, record) => {
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
    command.addCommand(each.option('--json', 'print JSON').addOption(on.program.configOption()));
  }
  return command;
}

/**
 * Opens the database of the configuration, runs the work, and prints its result. If the work fails, prints the reason
 * and exits with 1.
 */
async function run(
  name: string,
  { config: file, json }: LocalArguments,
  { program, open }: Work,
  work: (worklist: Worklist, record: RecordCommand) => Promise<CommandOutcome>,
): Promise<void> {
  const loaded = await program.readConfig(file);
  const store = await openConfiguredStore(loaded);
  try {
    const outcome = await work(open(store), (done) => loaded.record({ operation: `local ${name}`, ...done }));
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

/**
 * @throws ConfigProblems when there is no adapter `local`, its database cannot be opened, or there is no SQLite file: only
 * a gateway creates it.
 */
async function openConfiguredStore({ adapters, institution, problem }: CommandConfig): Promise<LocalStore> {
  const found = adapters.find(({ name }) => name === 'local');
  if (!found) throw new ConfigProblems([problem(['adapters'], 'has no adapter local: add it')]);
  const settings = settingsSchema.parse(found.settings);
  if (settings.kind === 'sqlite' && !existsSync(settings.file ?? '')) {
    const what = 'does not exist: correct the path, or start the gateway, which creates it';
    throw new ConfigProblems([problem([...found.path, 'file'], what)]);
  }
  try {
    return await openStore(settings, institution);
  } catch (error) {
    throw error instanceof SettingsProblem ? toConfigProblems(error, found.path, problem) : error;
  }
}

function formatItems(items: readonly WorkItem[], hasMore: boolean): string {
  const [first] = items;
  if (!first) return 'There are none.\n';
  const head = Object.keys(first);
  const table = formatTable(
    head,
    items.map((item) => head.map((name) => toPlainText(String(item[name] ?? '-')))),
  );
  return hasMore ? `${table}There are more: raise --limit.\n` : table;
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
