import { once } from 'node:events';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { z } from 'zod';
import { parseJsonObject } from '../http-client/answer-size.ts';
import type { createByteClient } from '../http-client/axios.ts';
import { badAnswer, getCauseCode, toNetworkFailure } from '../http-client/failures.ts';
import type { Credentials } from '../http-client/oauth.ts';
import { Failure, type Log } from '../ports/index.ts';
import { type AuditRecords, StateUnavailable } from '../state/state.ts';
import { computePause } from '../toolkit/backoff.ts';
import { getErrorCode } from '../toolkit/failures.ts';
import { toAuditEvent, toAuditMessage } from './message.ts';
import { type PlacedRecord, parseGroup } from './record.ts';

/** A system that receives every record of the audit trail. */
export interface Destination {
  /** The name of the destination in the state and in the log. */
  readonly name: 'fhir' | 'syslog';
  /** Resolves when the destination has accepted the records. It may receive a record more than once. */
  send(records: readonly PlacedRecord[], signal: AbortSignal): Promise<void>;
  close?(): void;
}

export interface ForwarderOptions {
  readonly records: AuditRecords;
  readonly chain: string;
  readonly destination: Destination;
  readonly log: Log;
  /**
   * Milliseconds between two polls for new records, and after a failure. The time doubles with each further failure.
   */
  readonly interval?: number;
}

const LONGEST_PAUSE = 60_000;

/**
 * Sends the records of a chain to a destination, in order. The trail itself is the outbox, and the state has the last
 * record sent.
 */
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #stopped = new AbortController();
  #running: Promise<void> | undefined;
  #failure: string | undefined;

  constructor(options: ForwarderOptions) {
    this.#options = options;
  }

  get name(): Destination['name'] {
    return this.#options.destination.name;
  }

  /** The code of the last attempt's failure. Undefined if it succeeded. */
  get failure(): string | undefined {
    return this.#failure;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Resolves when no request is running. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
    this.#options.destination.close?.();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    const { interval = 1_000 } = this.#options;
    let failures = 0;
    while (!signal.aborted) {
      try {
        while (await this.#sendNext(signal));
        this.#succeed();
        failures = 0;
        await wait(interval, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#fail(error);
        failures += 1;
        await wait(computePause({ first: interval, longest: LONGEST_PAUSE }, failures), signal);
      }
    }
  }

  /** @returns true if more records may exist. */
  async #sendNext(signal: AbortSignal): Promise<boolean> {
    const { records, chain, destination } = this.#options;
    const groups = await records.read(chain, await records.readForwarded(destination.name, chain));
    for (const { seq, text } of groups) {
      // A changed group is not forwarded. `verify` reports it.
      if (text !== undefined) await destination.send(parseGroup({ chain, seq, text }), signal);
      await records.saveForwarded(destination.name, chain, seq);
    }
    return groups.length > 0;
  }

  #succeed(): void {
    if (this.#failure !== undefined) this.#options.log.write('info', 'audit forwarded again', { backend: this.name });
    this.#failure = undefined;
  }

  #fail(error: unknown): void {
    const cause = error instanceof StateUnavailable ? error.code : getCauseCode(toNetworkFailure(error, false));
    if (this.#failure === undefined)
      this.#options.log.write('warn', 'audit not forwarded', { backend: this.name, cause });
    this.#failure = cause ?? 'unknown';
  }
}

/** Ends early when the signal aborts, and does not keep the process alive. */
const wait = (ms: number, signal: AbortSignal): Promise<unknown> =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);

/** The number of records in one request. */
const MAX_ENTRIES = 100;

/**
 * A FHIR server that stores AuditEvents. Each has a fixed id, so the server stores a repeated one once.
 * @param http a client with the server's base, for which every status is a success and bodies are bytes.
 */
export function createFhirDestination(
  http: ReturnType<typeof createByteClient>,
  credentials: Credentials,
): Destination {
  return {
    name: 'fhir',
    send: async (records, signal) => {
      for (let i = 0; i < records.length; i += MAX_ENTRIES) {
        const some = records.slice(i, i + MAX_ENTRIES);
        const body = JSON.stringify(toBundle(some));
        let header = await credentials.header(signal);
        let response = await post(body, header, signal);
        if (response.status === 401) {
          header = await credentials.renew(header, signal);
          response = await post(body, header, signal);
        }
        requireTaken(response, some.length);
      }
    },
  };

  function post(body: string, header: string | undefined, signal: AbortSignal) {
    const headers = {
      Accept: 'application/fhir+json',
      'Content-Type': 'application/fhir+json',
      ...(header !== undefined && { Authorization: header }),
    };
    return http.post<Uint8Array>('', body, { headers, signal });
  }
}

const toBundle = (records: readonly PlacedRecord[]) => ({
  resourceType: 'Bundle',
  type: 'batch',
  entry: records.map(toAuditEvent).map((resource) => ({
    resource,
    request: { method: 'PUT', url: `AuditEvent/${resource.id}` },
  })),
});

const answerSchema = z.object({ entry: z.array(z.object({ response: z.object({ status: z.string() }) })) });

/** @throws Failure unless the server has accepted each entry. @param count the number of entries in the request. */
function requireTaken({ status, data }: { readonly status: number; readonly data: Uint8Array }, count: number): void {
  if (status !== 200) throw badAnswer(`HTTP_${status}`);
  const { entry = [] } = answerSchema.safeParse(parseJson(data)).data ?? {};
  const refused = entry.find(({ response }) => !response.status.startsWith('2'));
  if (refused) throw badAnswer(`HTTP_${refused.response.status.slice(0, 3)}`);
  if (entry.length !== count) throw badAnswer('no_batch_response');
}

function parseJson(data: Uint8Array): unknown {
  try {
    return parseJsonObject(data, 'application/json');
  } catch {
    return undefined;
  }
}

/** Facility authpriv, severity notice. */
const PRIORITY = 85;
/** Milliseconds without an answer while connecting or sending. */
const TIMEOUT = 10_000;

/**
 * An IHE ATNA repository over syslog with TLS (RFC 5424 and 5425). The protocol has no acknowledgment: records count as
 * sent when the server's TCP stack has accepted them.
 */
export function createSyslogDestination(server: ConnectionOptions): Destination {
  let socket: TLSSocket | undefined;
  return {
    name: 'syslog',
    send: async (records, signal) => {
      try {
        if (!socket?.writable) socket = await open(server, signal);
        await write(socket, Buffer.concat(records.map(toFrame)));
      } catch (error) {
        socket?.destroy();
        socket = undefined;
        const code = getErrorCode(error) || 'UNEXPECTED';
        throw new Failure('unavailable', 'the syslog server cannot be reached', { cause: { code } });
      }
    },
    close: () => socket?.destroy(),
  };
}

async function open(server: ConnectionOptions, signal: AbortSignal): Promise<TLSSocket> {
  const socket = connect({ ...(isIP(server.host ?? '') === 0 && { servername: server.host }), ...server });
  socket.setTimeout(TIMEOUT, () => socket.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })));
  await once(socket, 'secureConnect', { signal }).catch((error: unknown) => {
    socket.destroy();
    throw error;
  });
  socket.setTimeout(0);
  // The next message notices a closed connection. The server's data is ignored.
  socket
    .on('error', () => undefined)
    .on('end', () => socket.destroy())
    .resume();
  return socket.unref();
}

const write = (socket: TLSSocket, bytes: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })), TIMEOUT);
    socket.write(bytes, (error) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve();
    });
  });

/** Prefixes a message with its length in bytes (RFC 5425). */
function toFrame(placed: PlacedRecord): Buffer {
  const { at } = placed.record;
  const header = `<${PRIORITY}>1 ${at} ${hostname()} puente ${process.pid} IHE+DICOM -`;
  const message = Buffer.from(`${header} \ufeff${toAuditMessage(toAuditEvent(placed))}`);
  return Buffer.concat([Buffer.from(`${message.length} `), message]);
}
