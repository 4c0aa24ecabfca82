import { z } from 'zod';
import type { Query, Request, Response, Route, Subject } from '../../../contract/subject.ts';
import { CannotRun } from '../cannot-run.ts';

/** After so many requests in a row without an answer the server is given up: each of them may wait for a minute. */
const MAX_UNANSWERED = 3;

/** Reads an API of which nothing is known: what fails, or looks otherwise than documented, counts as not there. */
export class ApiReader {
  readonly #subject: Pick<Subject, 'send'>;
  /** What each route answered last. */
  readonly statuses = new Map<Route, number>();
  /** The routes that failed twice, so that more may be there than was found. */
  readonly failed = new Set<Route>();
  #unanswered = 0;

  constructor(subject: Pick<Subject, 'send'>) {
    this.#subject = subject;
  }

  /** The body of the answer, or undefined. @throws CannotRun when the server does not answer any more. */
  async read<T>(schema: z.ZodType<T>, request: Request): Promise<T | undefined> {
    const response = await this.#send(request);
    if (response?.status !== 200) return undefined;
    return schema.safeParse(response.body).data;
  }

  /** The list under that key of the answer, without the items that look otherwise; empty where there is none. */
  async list<T>(item: z.ZodType<T>, key: string | undefined, request: Request): Promise<T[]> {
    const items = z.array(z.unknown());
    const schema = key === undefined ? items : z.object({ [key]: items }).transform((body) => body[key] ?? []);
    const found = (await this.read(schema, request)) ?? [];
    return found.flatMap((each) => {
      const { data } = item.safeParse(each);
      return data === undefined ? [] : [data];
    });
  }

  async #send(request: Request): Promise<Response | undefined> {
    const response = (await this.#attempt(request)) ?? (await this.#attempt(request));
    if (response) this.statuses.set(request.route, response.status);
    else this.failed.add(request.route);
    return response;
  }

  /** The answer; undefined when it did not come, or says that the server failed. */
  async #attempt(request: Request): Promise<Response | undefined> {
    try {
      const response = await this.#subject.send(request);
      this.#unanswered = 0;
      return response.status > 501 ? undefined : response;
    } catch {
      if (++this.#unanswered >= MAX_UNANSWERED) throw new CannotRun('three requests in a row got no answer');
      return undefined;
    }
  }
}

/** A request of the patient with that id. */
export const ofPatient = (route: Route, id: string, query: Query = {}): Request => ({ route, params: { id }, query });
