import { once } from 'node:events';
import { styleText } from 'node:util';
import winston from 'winston';
import { Log, type LogFields, type LogLevel } from '../ports/index.ts';

export interface LogOptions {
  /** The least important level that is written. */
  readonly level: LogLevel;
  /** `auto`: pretty on a terminal, JSON elsewhere. */
  readonly format: 'auto' | 'json' | 'pretty';
  /** Default: the standard output. Files are left to whoever collects it. */
  readonly stream?: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** Only these fields are ever written, whatever an adapter puts into the object that it logs. */
const allowed = Object.keys({
  requestId: true,
  client: true,
  operation: true,
  route: true,
  status: true,
  ms: true,
  adapter: true,
  backend: true,
  code: true,
  cause: true,
  at: true,
  stack: true,
  address: true,
  signal: true,
  version: true,
} satisfies Record<keyof LogFields, true>) as (keyof LogFields)[];

/** Whether the log is written for a person at a terminal. */
export const isPretty = ({ format, stream = process.stdout }: Omit<LogOptions, 'level'>): boolean =>
  format === 'pretty' || (format === 'auto' && stream.isTTY === true);

/** The log of the process: one line per event, JSON or for people. */
export class WinstonLog extends Log {
  readonly #logger: winston.Logger;
  #closed = false;

  constructor({ level, format, stream = process.stdout }: LogOptions) {
    super();
    const line = isPretty({ format, stream }) ? formatPretty(stream) : formatJson;
    this.#logger = winston.createLogger({
      level,
      format: winston.format.printf((entry) => line(entry as unknown as Entry)),
      transports: [new winston.transports.Stream({ stream: stream as NodeJS.WriteStream })],
    });
  }

  /** After `close` there is nowhere left to write to, and the line is dropped. */
  write(level: LogLevel, event: string, fields: LogFields = {}): void {
    if (this.#closed) return;
    const chosen = allowed.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]]));
    // Below a key of their own, since winston gives `message`, `stack` and others beside it a meaning.
    this.#logger.log({ level, message: event, time: new Date(), fields: Object.fromEntries(chosen) });
  }

  /** Ends the log when all of it is written. */
  async close(): Promise<void> {
    this.#closed = true;
    const written = Promise.all(this.#logger.transports.map((transport) => once(transport, 'finish')));
    this.#logger.end();
    await written;
  }
}

interface Entry {
  readonly level: LogLevel;
  readonly message: string;
  readonly time: Date;
  readonly fields: LogFields;
}

const formatJson = ({ level, message, time, fields }: Entry): string =>
  JSON.stringify({ time: time.toISOString(), level, event: message, ...fields });

function formatPretty(stream: NodeJS.WritableStream): (entry: Entry) => string {
  const paint = (colour: Colour, text: string): string => styleText(colour, text, { stream });
  return ({ level, message, time, fields }) => {
    const { route, status, ms, stack = [], ...rest } = fields;
    const words = [
      paint('dim', time.toTimeString().slice(0, 8)),
      level === 'info' ? message : paint(colours[level], `${level} ${message}`),
      route,
      status && paint(status < 400 ? 'green' : status < 500 ? 'yellow' : 'red', String(status)),
      ms !== undefined && paint('dim', `${ms} ms`),
      ...Object.entries(rest).map(([name, value]) => paint('dim', `${name}=${plain(String(value))}`)),
      ...stack.map((frame) => `\n           ${frame}`),
    ];
    return words.filter(Boolean).join(' ');
  };
}

type Colour = 'dim' | 'green' | 'yellow' | 'red';
const colours = { error: 'red', warn: 'yellow', debug: 'dim' } as const;

/** A value that might forge a line or steer the terminal is quoted. */
const plain = (value: string): string => (/^[\x21-\x7e]+$/.test(value) ? value : JSON.stringify(value));
