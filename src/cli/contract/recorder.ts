import { isPortsSubject } from '../../contract/ports-subject.ts';
import type { Request, Response, Subject } from '../../contract/subject.ts';
import type { PortName, PortOf } from '../../ports/index.ts';
import { explainError, explainResponse, type NoAnswer } from './no-answer.ts';
import { Traces } from './traces.ts';

/** A request of a case and what came of it. */
export interface Exchange {
  readonly request: Request;
  /** Undefined when no answer came. */
  readonly response: Response | undefined;
  readonly ms: number;
}

/** Remembers what a case sends and gets, and what it leaves at the institution. */
export class Recorder {
  /** In the order in which they began. */
  readonly exchanges: Exchange[] = [];
  /** What ports returned, in process. */
  readonly returned: unknown[] = [];
  readonly traces = new Traces();

  /** Why the last request, or call of a port, got no answer; undefined when it got one, or there was none. */
  noAnswer: NoAnswer | undefined;

  /** The same subject, watched. */
  watch(subject: Subject): Subject {
    const watched = { ...subject, send: (request: Request) => this.#send(subject, request) };
    if (!isPortsSubject(subject)) return watched;
    const getPort = <N extends PortName>(name: N): PortOf<N> => this.#watchPort(name, subject.getPort(name));
    return Object.assign(watched, { getPort });
  }

  async #send(subject: Subject, request: Request): Promise<Response> {
    const startedAt = performance.now();
    const at = this.exchanges.length;
    const finish = (response: Response | undefined) => {
      this.exchanges[at] = { request, response, ms: Math.round(performance.now() - startedAt) };
    };
    finish(undefined);
    try {
      const response = await subject.send(request);
      finish(response);
      this.noAnswer = explainResponse(response);
      this.traces.addAnswer(request, response);
      return response;
    } catch (error) {
      finish(undefined);
      this.noAnswer = explainError(error);
      if (!request.route.startsWith('GET ')) this.traces.addLost();
      throw error;
    }
  }

  /** Of a call that was too late from the start a failure is the answer. */
  async #call(call: () => unknown, given: readonly unknown[]): Promise<unknown> {
    this.noAnswer = undefined;
    try {
      return await call();
    } catch (error) {
      const { signal }: { readonly signal?: AbortSignal } = Object(given.at(-1));
      if (!signal?.aborted) this.noAnswer = explainError(error);
      throw error;
    }
  }

  #watchPort<N extends PortName>(name: N, port: PortOf<N>): PortOf<N> {
    return new Proxy(port, {
      get: (target, method) => {
        const found: unknown = Reflect.get(target, method, target);
        if (typeof found !== 'function') return found;
        return async (...given: readonly unknown[]) => {
          const returned = await this.#call(() => Reflect.apply(found, target, given), given);
          this.returned.push(structuredClone(returned));
          this.traces.addCall(`${name}.${String(method)}`, given, returned);
          return returned;
        };
      },
    });
  }
}
