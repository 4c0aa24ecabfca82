import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import winston from 'winston';
import { Log, type LogFields, type LogLevel } from '../ports/index.ts';
import type { LogEventName } from '../ports/log-events.ts';
import { currentTrace } from '../toolkit/telemetry.ts';
import { formatMoment } from '../toolkit/zone.ts';

export interface LogOptions {
  /** The lowest level that is written. */
  readonly level: LogLevel;
  /** `auto`: pretty on a terminal, JSON otherwise. */
  readonly format: 'auto' | 'json' | 'pretty';
  /** Default: standard output. */
  readonly stream?: Writable & { readonly isTTY?: boolean };
}

/** Only these fields are written, and no other fields of an adapter's object. */
const allowedFields: ReadonlySet<string> = new Set(
  Object.keys({
    requestId: true,
    client: true,
    operation: true,
    route: true,
    status: true,
    ms: true,
    adapter: true,
    ports: true,
    backend: true,
    code: true,
    cause: true,
    said: true,
    hint: true,
    at: true,
    resourceType: true,
    element: true,
    count: true,
    port: true,
    class: true,
    stack: true,
    address: true,
    host: true,
    head: true,
    signal: true,
    version: true,
    changed: true,
    restart: true,
    problems: true,
  } satisfies Record<keyof LogFields, true>),
);

/** True if log lines are formatted for a person at a terminal. */
export const isPretty = ({ format, stream = process.stdout }: Omit<LogOptions, 'level'>): boolean =>
  format === 'pretty' || (format === 'auto' && stream.isTTY === true);

/** The log of the process: one line per event, as JSON or formatted for a terminal. */
export class WinstonLog extends Log {
  readonly #logger: winston.Logger;
  readonly #stream: Writable;
  readonly #flush = () => {
    if (!this.#corked) return;
    this.#corked = false;
    process.off('exit', this.#flush);
    this.#stream.uncork();
  };
  #corked = false;
  #closed = false;

  constructor({ level, format, stream = process.stdout }: LogOptions) {
    super();
    this.#stream = stream;
    this.#logger = winston.createLogger({
      level,
      format: isPretty({ format, stream }) ? formatForPerson(stream) : formatJson,
      transports: [new winston.transports.Stream({ stream })],
    });
  }

  /** Writes one line. After `close`, lines are dropped. */
  write(level: LogLevel, event: LogEventName, fields: LogFields = {}): void {
    if (this.#closed || !this.#logger.isLevelEnabled(level)) return;
    const entry: winston.LogEntry = { level, message: event };
    const given: [string, unknown][] = Object.entries(fields);
    for (const [name, value] of given) {
      if (value !== undefined && allowedFields.has(name)) entry[name] = value;
    }
    const trace = currentTrace.getStore();
    if (trace) entry.traceId = trace.traceId;
    this.#logger.log(entry);
    this.#cork();
  }

  /** Buffers further lines of this turn of the event loop into one write: each system call costs as much as a line. */
  #cork(): void {
    if (this.#corked) return;
    this.#corked = true;
    this.#stream.cork();
    setImmediate(this.#flush);
    process.once('exit', this.#flush);
  }

  /** Resolves when everything is written. */
  async close(): Promise<void> {
    this.#closed = true;
    const finished = Promise.all(this.#logger.transports.map((transport) => once(transport, 'finish')));
    this.#logger.end();
    await finished;
    this.#flush();
  }
}

const formatJson = winston.format.printf(({ level, message, ...fields }) =>
  JSON.stringify({ time: formatMoment(new Date()), level, event: message, ...fields }),
);

/** One line, and one more for each frame of a stack. */
const formatForPerson = (stream: NodeJS.WritableStream) =>
  winston.format.printf(({ level, message, traceId: _, ...fields }) => {
    const paint = (colour: Colour, text: string): string => styleText(colour, text, { stream });
    const { route, status, ms, stack, ...others } = fields;
    const words = [
      paint('dim', new Date().toTimeString().slice(0, 8)),
      level === 'info' ? message : paint(colours[level] ?? 'dim', `${level} ${message}`),
      typeof route === 'string' && route,
      typeof status === 'number' && paint(status < 400 ? 'green' : status < 500 ? 'yellow' : 'red', String(status)),
      typeof ms === 'number' && paint('dim', `${ms} ms`),
      ...Object.entries(others).map(([name, value]) => paint('dim', `${name}=${quote(String(value))}`)),
      ...(Array.isArray(stack) ? stack.map((frame) => `\n           ${String(frame)}`) : []),
    ];
    return words.filter(Boolean).join(' ');
  });

type Colour = 'dim' | 'green' | 'yellow' | 'red';
const colours: Readonly<Record<string, Colour>> = { error: 'red', warn: 'yellow', debug: 'dim' };

/** Quotes a value that could forge a log line or control the terminal. */
const quote = (value: string): string => (/^[\x21-\x7e]+$/.test(value) ? value : JSON.stringify(value));
