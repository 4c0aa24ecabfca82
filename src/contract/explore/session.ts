import { AssertionError } from 'node:assert';
import type { Response, Subject } from '../subject.ts';
import { Interrupted } from './broken-promise.ts';
import { fillTemplate, type Template, Variable } from './variable.ts';

/** A variable, and where the answer has its value: a path of jq, or the end of the header `Location`. */
export interface Capture {
  readonly variable: Variable;
  readonly from: string;
}

/** What was asked at one moment and what was answered. */
export interface Exchange {
  /** Several were sent at once. */
  readonly requests: readonly Template[];
  /** Status and code of each. */
  readonly outcomes: readonly string[];
  /** Of the only answer. */
  readonly captures: Capture[];
}

/** Too many requests, no time, or a backend that is away. */
const busy = new Set([429, 502, 503, 504]);

/** There is no answer: the network, or the subject itself, failed. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** Sends the requests of one sequence and remembers them. */
export class Session {
  readonly subject: Subject;
  readonly exchanges: Exchange[] = [];
  readonly #counts = new Map<string, number>();

  constructor(subject: Subject) {
    this.subject = subject;
  }

  /** How many requests were sent. */
  get sent(): number {
    return this.exchanges.reduce((sum, { requests }) => sum + requests.length, 0);
  }

  /** @throws Interrupted when the subject is too busy to answer. */
  async send(template: Template): Promise<Response> {
    const [response] = await this.sendAll([template]);
    if (!response) throw new Error('there is no answer');
    return response;
  }

  /** As `send`, with several requests at once. @throws NoAnswer */
  async sendAll(templates: readonly Template[]): Promise<readonly Response[]> {
    const responses = await Promise.all(templates.map((template) => this.#sendOne(template)));
    this.exchanges.push({ requests: templates, outcomes: responses.map(describeOutcome), captures: [] });
    if (responses.some(({ status }) => busy.has(status))) throw new Interrupted('the subject is too busy');
    return responses;
  }

  async #sendOne(template: Template): Promise<Response> {
    try {
      return await this.subject.send(fillTemplate(template));
    } catch (error) {
      if (error instanceof AssertionError) throw error;
      throw new NoAnswer(`${template.route} has no answer`, { cause: error });
    }
  }

  /** A variable for a value of the last answer. */
  capture(prefix: string, value: string, from: string): Variable {
    const variable = new Variable(this.createName(prefix), value);
    this.exchanges.at(-1)?.captures.push({ variable, from });
    return variable;
  }

  /** A variable for a number that nobody else has. */
  invent(prefix: string, value: number): Variable<number> {
    return new Variable(this.createName(prefix), value, '$((96000000 + RANDOM * 91))');
  }

  createName(prefix: string): string {
    const count = (this.#counts.get(prefix) ?? 0) + 1;
    this.#counts.set(prefix, count);
    return `${prefix}_${count}`;
  }
}

/** Status and code, e.g. `409 slot_taken`. */
export function describeOutcome({ status, body }: Response): string {
  const { code } = (body ?? {}) as { readonly code?: unknown };
  return status >= 400 && typeof code === 'string' ? `${status} ${code}` : String(status);
}
