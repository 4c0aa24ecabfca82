import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { createByteClient } from '../../src/http-client/axios.ts';
import { getCauseCode, toNetworkFailure } from '../../src/http-client/failures.ts';
import { Failure } from '../../src/ports/index.ts';
import { readCertificates } from '../../src/toolkit/certificates.ts';
import { SettingsProblem } from '../../src/toolkit/problems.ts';
import { readSecret } from '../../src/toolkit/secret.ts';
import type { LocalSettings } from './settings.ts';
import { type LocalStore, parseRow, time } from './store.ts';

/** Milliseconds between two polls for rows of other gateways, and for retries. */
const POLL_MS = 5_000;
/** Milliseconds, in addition to the request's own limit, until another gateway may send the row. */
const LEASE_MS = 30_000;
/** The pause before the next attempt in milliseconds: the age of the row, so each pause is twice the last one. */
const PAUSE_MS = { least: 1_000, most: 300_000 };

const arrived = { id: z.string(), patient_id: z.string(), created_at: time.nullable().catch(null) };

/**
 * Tables whose new rows are announced. Their column `announce_at` has the time, or NULL if there is nothing to
 * announce.
 */
const announced = [
  {
    table: 'puente_local_tickets',
    columns: 'id, patient_id, created_at, ticket_type_id',
    schema: z.object({ ...arrived, ticket_type_id: z.string() }).transform(
      ({ id, patient_id, created_at, ticket_type_id }): Message => ({
        type: 'ticket.created',
        timestamp: formatTime(created_at),
        data: { id, patientId: patient_id, ticketTypeId: ticket_type_id },
      }),
    ),
  },
  {
    table: 'puente_local_change_requests',
    columns: 'id, patient_id, created_at, reason_id, practitioner_id',
    schema: z.object({ ...arrived, reason_id: z.string(), practitioner_id: z.string().nullable() }).transform(
      ({ id, patient_id, created_at, reason_id, practitioner_id }): Message => ({
        type: 'change_request.created',
        timestamp: formatTime(created_at),
        data: { id, patientId: patient_id, reasonId: reason_id, practitionerId: practitioner_id },
      }),
    ),
  },
] as const;

const formatTime = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** The outbox as a writer of rows uses it. */
export type Announcements = Pick<Outbox, 'now' | 'wake'>;

/**
 * Announces new rows to the webhook, each at least once. It continues after a crash of a gateway, and after days
 * without a receiver.
 */
export class Outbox {
  readonly #store: LocalStore;
  readonly #send: Send;
  readonly #leaseMs: number;
  readonly #stopped = new AbortController();
  #woken = new AbortController();
  #working: Promise<void> | undefined;
  #failure: string | undefined;

  /** @param timeout the maximum duration of `send` in milliseconds. */
  constructor(store: LocalStore, send: Send, timeout: number) {
    this.#store = store;
    this.#send = send;
    this.#leaseMs = timeout + LEASE_MS;
  }

  /** The code of the last failed delivery. Undefined after a success, or when no message waits any more. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** The time for `announce_at` of a row that is written now. */
  readonly now = (): number => this.#store.now();

  /** Starts to send. A second call does nothing. */
  start(): void {
    this.#working ??= this.#work();
  }

  /** Sends new rows now. */
  readonly wake = (): void => this.#woken.abort();

  /** The next gateway repeats an interrupted delivery. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#working;
  }

  async #work(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      this.#woken = new AbortController();
      try {
        for (const table of announced) while (!signal.aborted && (await this.#announceNext(table)));
        if (this.#failure !== undefined && !(await this.#isWaiting())) this.#failure = undefined;
      } catch (error) {
        // The readiness reports an unreachable database.
        if (!(error instanceof Failure)) this.#failure = 'UNEXPECTED';
      }
      await sleep(POLL_MS, undefined, { ref: false, signal: AbortSignal.any([signal, this.#woken.signal]) }).catch(
        () => undefined,
      );
    }
  }

  /** Sends the oldest due message. Returns true if there was one. */
  async #announceNext({ table, columns, schema }: (typeof announced)[number]): Promise<boolean> {
    const now = this.#store.now();
    const leaseUntil = now + this.#leaseMs;
    // If two gateways find the same row, the second one waits for the first and then finds the row leased.
    const [row] = await this.#store.write(
      `UPDATE ${table} SET announce_at = $2 WHERE announce_at <= $1 AND position =
         (SELECT position FROM ${table} WHERE announce_at <= $1 ORDER BY announce_at, position LIMIT 1)
       RETURNING ${columns}`,
      [now, leaseUntil],
    );
    if (!row) return false;
    const message = parseRow<Message>(schema, row);
    const failure = await this.#send(message, this.#stopped.signal);
    const next = failure === undefined ? null : this.#chooseNext(message);
    this.#failure = failure;
    const values = [message.data.id, leaseUntil, next];
    await this.#store.write(`UPDATE ${table} SET announce_at = $3 WHERE id = $1 AND announce_at = $2`, values);
    return true;
  }

  #chooseNext({ timestamp }: Message): number {
    const now = this.#store.now();
    if (this.#stopped.signal.aborted) return now;
    const age = now - (timestamp === null ? 0 : Date.parse(timestamp));
    return now + Math.min(Math.max(age, PAUSE_MS.least), PAUSE_MS.most);
  }

  async #isWaiting(): Promise<boolean> {
    const waiting = announced.map(({ table }) => `SELECT id FROM ${table} WHERE announce_at IS NOT NULL`);
    return (await this.#store.read(`${waiting.join(' UNION ALL ')} LIMIT 1`, [])).length > 0;
  }
}

/** A message of the webhook: ids, and no text of a patient. */
export interface Message {
  readonly type: 'ticket.created' | 'change_request.created';
  readonly timestamp: string | null;
  readonly data: { readonly id: string } & Readonly<Record<string, string | null>>;
}

/** Sends a message. Returns the code of a failure, or undefined if the receiver accepted it. */
export type Send = (message: Message, signal: AbortSignal) => Promise<string | undefined>;

const MAX_ANSWER_BYTES = 1 << 20;

/**
 * Sends by the Standard Webhooks specification. Any 2xx answer accepts the message.
 * @throws SettingsProblem when a secret or a file is missing.
 */
export function createWebhook({ url, secret, timeout, ca }: NonNullable<LocalSettings['webhook']>): Send {
  const keys = readKeys(secret);
  const tls = { ca: ca && readCertificates(ca, 'webhook.ca') };
  const http = createByteClient({ timeout, maxBytes: MAX_ANSWER_BYTES, tls });
  return async (message, signal) => {
    const body = JSON.stringify(message);
    const timestamp = Math.floor(Date.now() / 1_000);
    const { id } = message.data;
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': `${timestamp}`,
      'webhook-signature': keys.map((key) => sign(key, `${id}.${timestamp}.${body}`)).join(' '),
    };
    try {
      const { status } = await http.post(url, Buffer.from(body), { headers, signal });
      return status >= 200 && status < 300 ? undefined : `HTTP_${status}`;
    } catch (error) {
      return getCauseCode(toNetworkFailure(error, false)) ?? 'UNEXPECTED';
    }
  };
}

/** The signature of Standard Webhooks, over id, timestamp and body with dots between them. */
export const sign = (key: Buffer, content: string): string =>
  `v1,${createHmac('sha256', key).update(content).digest('base64')}`;

/** During a replacement there are two secrets, with white space between them, and a signature for each. */
function readKeys(reference: string): readonly Buffer[] {
  return readSecret(reference, 'webhook.secret')
    .split(/\s+/)
    .map((text) => {
      const [, encoded = ''] = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(text) ?? [];
      const key = Buffer.from(encoded, 'base64');
      if (key.length >= 24 && key.length <= 64) return key;
      throw new SettingsProblem('webhook.secret', [
        'must be whsec_ and 24 to 64 bytes in base64: echo "whsec_$(openssl rand -base64 32)"',
      ]);
    });
}
