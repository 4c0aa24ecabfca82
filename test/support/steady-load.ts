import { Agent, type RequestOptions, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

/** Together at most 80 requests a second, whatever the machine has left. */
const WORKERS = 8;
const PAUSE = 100;

/** What is asked for in turn, and the status of success. */
export interface Step {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers?: () => Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request, and the status or the error of what was no success. */
export interface Broken {
  readonly request: string;
  readonly got: number | string | undefined;
  readonly requestId?: string | undefined;
}

/** Callers who send one request after another on connections of their own, and count what they get. */
export class SteadyLoad {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: WORKERS });
  readonly #to: RequestOptions;
  readonly #steps: readonly Step[];
  readonly #workers: readonly Promise<void>[];
  #stopped = false;
  /** The requests that began. */
  sent = 0;
  /** How often each step was a success. */
  readonly done: number[];
  /** What others got. */
  broken: Broken[] = [];
  /** Successes since something was broken. */
  inARow = 0;

  constructor(to: RequestOptions, steps: readonly Step[]) {
    this.#to = to;
    this.#steps = steps;
    this.done = steps.map(() => 0);
    this.#workers = Array.from({ length: WORKERS }, () => this.#work());
  }

  async #work(): Promise<void> {
    while (!this.#stopped) {
      const turn = this.sent++ % this.#steps.length;
      const { method, path, status } = this.#steps[turn]!;
      const response = await this.#send(this.#steps[turn]!).catch(({ code }: NodeJS.ErrnoException) => ({ got: code }));
      if (response.got === status) {
        this.done[turn]! += 1;
        this.inARow += 1;
      } else {
        this.broken.push({ request: `${method} ${path}`, ...response });
        this.inARow = 0;
      }
      await sleep(PAUSE);
    }
  }

  /** Resolves to the status, when the whole response is there. */
  #send({ method, path, headers, body }: Step): Promise<Pick<Broken, 'got' | 'requestId'>> {
    return new Promise((resolve, reject) => {
      const options = { ...this.#to, agent: this.#agent, method, path };
      const sent = request({ ...options, headers: { ...this.#to.headers, ...headers?.() } }, (response) => {
        const { statusCode: got, headers } = response;
        response
          .resume()
          .on('error', reject)
          .on('end', () => resolve({ got, requestId: headers['x-request-id']?.toString() }));
      });
      sent.on('error', reject).end(body);
    });
  }

  /** Resolves when so many requests in a row were successes from now on. */
  async flow(count = 50): Promise<void> {
    this.inARow = 0;
    while (this.inARow < count) await sleep(PAUSE);
  }

  /** Ends when all that was sent has its answer. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#workers);
    this.#agent.destroy();
  }
}
