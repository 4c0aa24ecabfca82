import { readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Operation } from '../../src/api/index.ts';
import type { Gateway } from '../../src/http/gateway.ts';
import { parsePath } from '../../src/http/request.ts';
import { Router } from '../../src/http/router.ts';
import { type CheckResponse, createResponseCheck, type PublishedDocument } from './published.ts';

let check: CheckResponse | undefined;

/** Built once, because compiling the schemas takes longer than most tests. */
function getCheck(): CheckResponse {
  check ??= createResponseCheck(JSON.parse(readFileSync('openapi.json', 'utf8')) as PublishedDocument);
  return check;
}

/** Compares every answer of an operation that a gateway gives in a test with the published OpenAPI document. */
export class PublishedAnswers {
  readonly #faults: string[] = [];

  /** The app of a gateway, with its answers watched. */
  watch(app: RequestListener, { operations, basePath }: Pick<Gateway, 'operations' | 'basePath'>): RequestListener {
    const routes = new Router<Operation>();
    for (const operation of operations) routes.add(operation.route, operation);

    return (req, res) => {
      const { writeHead, write, end } = res;
      const operation = findOperation(routes, req, basePath);
      let type: unknown;
      let written = '';
      res.writeHead = (...given: unknown[]) => {
        const headers = given.at(-1);
        if (typeof headers === 'object' && headers !== null) type = Reflect.get(headers, 'Content-Type');
        return Reflect.apply(writeHead, res, given);
      };
      res.write = (...given: unknown[]) => {
        written += given[0];
        return Reflect.apply(write, res, given);
      };
      res.end = (...given: unknown[]) => {
        const body = written || given[0];
        if (operation && typeof body === 'string') {
          this.#faults.push(...getCheck()(operation.name, res.statusCode, String(type), JSON.parse(body)));
        }
        return Reflect.apply(end, res, given);
      };
      app(req, res);
    };
  }

  /** @throws Error when an answer was not as published. */
  expectAsPublished(): void {
    if (this.#faults.length > 0) throw new Error(`not as published:\n${this.#faults.slice(0, 10).join('\n')}`);
  }
}

function findOperation(routes: Router<Operation>, { method = '', url = '' }: IncomingMessage, basePath: string) {
  const path = parsePath(url);
  if (!path.startsWith(`${basePath}/`)) return undefined;
  try {
    const match = routes.find(method, path.slice(basePath.length));
    return match && 'target' in match ? match.target : undefined;
  } catch {
    // A path that nobody can decode is no operation's.
    return undefined;
  }
}
