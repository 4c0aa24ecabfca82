import { readFileSync } from 'node:fs';
import type { Operation } from '../../src/api/index.ts';
import type { Gateway } from '../../src/http/gateway.ts';
import { parsePath } from '../../src/http/request.ts';
import { Router } from '../../src/http/router.ts';
import type { Answer } from './answers.ts';
import { type CheckResponse, createResponseCheck, type PublishedDocument } from './published.ts';

let check: CheckResponse | undefined;

/** Built once, because compiling the schemas takes longer than most tests. */
function getCheck(): CheckResponse {
  check ??= createResponseCheck(JSON.parse(readFileSync('openapi.json', 'utf8')) as PublishedDocument);
  return check;
}

/** Compares every answer of an operation that a gateway gives in a test with the published OpenAPI document. */
export class PublishedAnswers {
  readonly #routes = new Router<Operation>();
  readonly #basePath: string;
  readonly #faults: string[] = [];

  constructor({ operations, basePath }: Pick<Gateway, 'operations' | 'basePath'>) {
    for (const operation of operations) this.#routes.add(operation.route, operation);
    this.#basePath = basePath;
  }

  readonly hearAnswer = ({ method, url, status, contentType, body }: Answer): void => {
    const operation = this.#findOperation(method, parsePath(url));
    if (operation) this.#faults.push(...getCheck()(operation.name, status, contentType, JSON.parse(body)));
  };

  /** @throws Error when an answer was not as published. */
  expectAsPublished(): void {
    if (this.#faults.length > 0) throw new Error(`not as published:\n${this.#faults.slice(0, 10).join('\n')}`);
  }

  #findOperation(method: string, path: string): Operation | undefined {
    if (!path.startsWith(`${this.#basePath}/`)) return undefined;
    try {
      const match = this.#routes.find(method, path.slice(this.#basePath.length));
      return match && 'target' in match ? match.target : undefined;
    } catch {
      // A path that nobody can decode is no operation's.
      return undefined;
    }
  }
}
