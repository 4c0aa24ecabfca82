import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { styleText } from 'node:util';
import { Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { loaders } from '../../adapters/loaders.ts';
import { toAuditEvent } from '../audit/message.ts';
import { findHeads, formatHead, type PlacedRecord, readGroup, type SignedHead } from '../audit/record.ts';
import { verifyChains } from '../audit/verify.ts';
import { loadConfig } from '../config/read.ts';
import { withState } from '../runtime/open.ts';
import type { AuditQuery, AuditRecords } from '../state/state.ts';
import { toPlainJson, toPlainText } from '../toolkit/plain-text.ts';
import { ConfigProblems } from '../toolkit/problems.ts';
import { configOption, recordCommand } from './terminal.ts';

interface AuditOptions extends AuditQuery {
  readonly config?: string;
  readonly since?: string;
}

const verify = new Command('verify')
  .description('Read every record of every chain, and report missing, changed and misplaced records.')
  .option('--since <file>', 'an earlier output or a log of the gateway, whose chain ends must still exist')
  .addOption(configOption())
  .addHelpText('after', '\nExits with 1 if there is a fault.')
  .action(({ config, since }: AuditOptions) =>
    withRecords(config, async (records, keptSince) => {
      const chains = await verifyChains(records, since === undefined ? [] : await readHeads(since), keptSince);
      if (chains.length === 0) process.stdout.write('There are no records.\n');
      for (const { chain, count, head, lastAt, faults } of chains) {
        const mark = faults.length === 0 ? styleText('green', 'ok   ') : styleText('red', 'wrong');
        process.stdout.write(
          `${mark} ${toPlainText(chain)}: ${count} records up to ${head?.seq ?? 'an unknown one'}\n`,
        );
        for (const { seq, what } of faults)
          process.stdout.write(`      ${seq === 0 ? 'the chain' : `record ${seq}`}: ${what}\n`);
        if (faults.length > 0) process.exitCode = 1;
        else if (head && lastAt !== undefined) {
          const signature = records.sign(chain, head);
          process.stdout.write(`      head ${formatHead({ chain, ...head, signature, at: lastAt })}\n`);
        }
      }
    }),
  );

const search = createReader(
  'search',
  'Print records, the oldest first, one JSON object per line.',
  ({ chain, seq, record }) => ({ chain, seq, ...record }),
);

const exportEvents = createReader(
  'export',
  'Print records as AuditEvents of FHIR R4 (IHE BALP), the oldest first, one JSON object per line (NDJSON).',
  toAuditEvent,
);

export const audit = new Command('audit')
  .description('Verify, search and export the audit trail: callers, actions and patients.')
  .addCommand(verify)
  .addCommand(search)
  .addCommand(exportEvents);

function createReader(name: string, description: string, format: (placed: PlacedRecord) => object): Command {
  return new Command(name)
    .description(description)
    .option('--patient <id>', 'only records about this patient')
    .option(
      '--from <moment>',
      'only records at or after this time, e.g. 2026-11-30 or 2026-11-30T12:00:00Z',
      parseMoment,
    )
    .option('--until <moment>', 'only records before this time', parseMoment)
    .addOption(configOption())
    .addHelpText(
      'after',
      '\nDays begin at midnight in UTC. These reads are recorded too, as the client "puente audit".',
    )
    .action(({ config, ...query }: AuditOptions) =>
      withRecords(config, async (records) => {
        await recordReading(records, `audit ${name}`, query);
        await pipeline(Readable.from(formatAll(records, query, format)), process.stdout, { end: false });
      }),
    );
}

/** Ends the command if the file has no head of a chain, because nothing would be compared. */
async function readHeads(file: string): Promise<readonly SignedHead[]> {
  const heads: SignedHead[] = [];
  try {
    for await (const line of createInterface(createReadStream(file))) heads.push(...findHeads(line));
  } catch (error) {
    verify.error(`--since cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  return heads.length > 0
    ? heads
    : verify.error('--since has no end of a chain: name an output of audit verify, or a log');
}

async function* formatAll(
  records: AuditRecords,
  query: AuditQuery,
  format: (placed: PlacedRecord) => object,
): AsyncIterable<string> {
  const { patient, from = 0, until = Number.POSITIVE_INFINITY } = query;
  for await (const group of records.find(query)) {
    const { chain, seq } = group;
    const placedRecords = readGroup(group);
    if (!placedRecords) {
      process.stderr.write(`record ${seq} of ${toPlainText(chain)} cannot be read: run puente audit verify\n`);
      process.exitCode = 1;
      continue;
    }
    for (const placed of placedRecords) {
      const at = Date.parse(placed.record.at);
      const isOfPatient = patient === undefined || placed.record.patient === patient;
      if (isOfPatient && at >= from && at < until) yield `${toPlainJson(format(placed))}\n`;
    }
  }
}

async function recordReading(
  records: AuditRecords,
  operation: string,
  { patient, ...moments }: AuditQuery,
): Promise<void> {
  const asked = Object.entries(moments).flatMap(([name, moment]) =>
    moment === undefined ? [] : [`${name}=${new Date(moment).toISOString()}`],
  );
  await recordCommand(records, {
    phase: 'ended',
    operation,
    interaction: 'search',
    client: 'puente audit',
    patients: patient === undefined ? [] : [patient],
    query: asked.join('&'),
    status: 200,
  });
}

/**
 * @param work also receives the moment from which all records must exist.
 * @throws ConfigProblems if there is no audit trail.
 */
async function withRecords(
  file: string | undefined,
  work: (records: AuditRecords, keptSince: number) => Promise<void>,
): Promise<void> {
  const loaded = await loadConfig({ file, environment: process.env, adapters: loaders });
  await withState(
    loaded,
    async ({ audit: records, now }) => {
      if (!records)
        throw new ConfigProblems([
          loaded.problem(['state', 'kind'], 'is memory, which has no audit trail: set sqlite or postgres'),
        ]);
      await work(records, now() - loaded.config.audit.retentionDays * DAY);
    },
    STATEMENT_TIMEOUT,
  );
}

/** Milliseconds. A search by time also reads all later records, and a trail may have those of ten years. */
const STATEMENT_TIMEOUT = 3_600_000;

const DAY = 86_400_000;

const momentForm = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

/** `Date.parse` alone would take 01/02/2026 for a day of January, and a time without its zone for one of this machine. */
function parseMoment(text: string): number {
  if (momentForm.safeParse(text).success) return Date.parse(text);
  throw new InvalidArgumentError(
    'It must be a day such as 2026-11-30, or a moment with its zone such as 2026-11-30T12:00:00Z.',
  );
}
