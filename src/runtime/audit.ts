import { hostname } from 'node:os';
import type { Forwarder } from '../audit/forward.ts';
import { createOwnRecord, formatHead } from '../audit/record.ts';
import type { Audit } from '../audit/writer.ts';
import { AuditWriter, Retention } from '../audit/writer.ts';
import type { LoadedConfig } from '../config/read.ts';
import type { Log } from '../ports/index.ts';
import type { State } from '../state/state.ts';
import type { Watched } from './health.ts';

/** Milliseconds between two flushes of due records, such as counts of refusals. */
const FLUSH_INTERVAL = 10_000;
/** Milliseconds between two reports of the chain's end to the log and to the destinations. */
const HEAD_INTERVAL = 3_600_000;

/** A running audit trail. It works until it is closed. */
export interface RunningAudit extends Audit {
  readonly chain: string;
  readonly forwarders: readonly Forwarder[];
  close(): Promise<void>;
}

/**
 * The audit trail in the state. Undefined without a trail.
 * @throws ConfigProblems if the settings of a destination cannot be read.
 */
export async function openAudit(loaded: LoadedConfig, state: State, log: Log): Promise<RunningAudit | undefined> {
  const { config } = loaded;
  const { enabled = true, chain = `${hostname()}:${config.http.port}`, whenUnavailable, retentionDays } = config.audit;
  const { audit: records } = state;
  if (!enabled || !records) return undefined;
  const writer = new AuditWriter({ records, chain, log, mayLose: whenUnavailable === 'proceed' });
  const retention = new Retention({ records, days: retentionDays, now: () => state.now(), log });
  const { fhir, syslog } = config.audit.forward;
  const forwarders =
    fhir || syslog ? await (await import('./audit-forwarders.ts')).openForwarders(loaded, { records, chain, log }) : [];
  let told = -1;
  const logHead = (): string | undefined => {
    // The record about the last head alone needs no new head.
    if (!writer.written || writer.written.seq <= told + 1) return undefined;
    told = writer.written.seq;
    const { lastAt: at, ...link } = writer.written;
    const head = formatHead({ chain, ...link, signature: records.sign(chain, link), at });
    log.write('info', 'audit head', { head });
    return head;
  };
  const timers = [
    setInterval(() => void writer.flush(), FLUSH_INTERVAL).unref(),
    setInterval(() => {
      const head = logHead();
      if (head !== undefined) writer.add([createOwnRecord('audit head', { ids: { head } })]);
    }, HEAD_INTERVAL).unref(),
  ];
  // Before any request, whose record could otherwise be lost without a trace.
  await writer.begin();
  retention.start();
  for (const forwarder of forwarders) forwarder.start();
  return {
    writer,
    chain,
    whenUnavailable,
    forwarders,
    close: async () => {
      for (const timer of timers) clearInterval(timer);
      retention.stop();
      await writer.end();
      logHead();
      await Promise.all(forwarders.map((forwarder) => forwarder.stop()));
    },
  };
}

/** The warning of a missing trail, one line. Empty if there is a trail, or if the configuration disables it. */
export const listAuditNotes = ({ audit, state }: LoadedConfig['config']): readonly string[] =>
  audit.enabled === undefined && state.kind === 'memory'
    ? [
        'there is no audit trail, because state.kind is memory: choose sqlite or postgres, or set audit.enabled to false',
      ]
    : [];

/** The default host name of a container in Docker and Podman: the beginning of its id. */
const containerId = /^[0-9a-f]{12}$/;

/** The warning of a chain name that ends with the process, one line. */
export const listChainWarnings = ({ audit, state }: LoadedConfig['config'], host = hostname()): readonly string[] =>
  audit.enabled !== false && audit.chain === undefined && state.kind !== 'memory' && containerId.test(host)
    ? [
        `audit.chain: is not set, and the host name ${host} is a container id, so each container begins another chain: set PUENTE_AUDIT_CHAIN to a constant name`,
      ]
    : [];

/** The impairments of the audit trail, by its last attempts to write and to forward. */
export const watchAudit = (audit: RunningAudit | undefined): Watched => ({
  list: () => [
    ...(audit?.writer.failure === undefined ? [] : [{ code: 'audit_unavailable', detail: UNAVAILABLE }]),
    ...(audit?.forwarders ?? []).flatMap(({ name, failure }) =>
      failure === undefined
        ? []
        : [
            {
              code: 'audit_not_forwarded',
              detail: `The server of audit.forward.${name} does not accept records: ${failure}. Check this server.`,
            },
          ],
    ),
  ],
});

const UNAVAILABLE =
  'The audit trail cannot be written: requests that require a record get 503, and records of other requests wait in memory. Check the database or the disk of the state, and the log. After audit_chain_cut, records were removed: keep the database unchanged, and investigate it.';
