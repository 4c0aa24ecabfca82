import { readFileSync } from 'node:fs';
import type { Operation } from '../../src/api/index.ts';
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
  readonly #operations: readonly (readonly [target: RegExp, operation: Operation])[];
  readonly #basePath: string;
  readonly #faults: string[] = [];

  constructor(operations: readonly Operation[], basePath: string) {
    // Literal segments come before parameters.
    const getShape = ({ route }: Operation) => route.replaceAll(/\{\w+\}/g, '\uffff');
    this.#operations = operations
      .toSorted((a, b) => (getShape(a) < getShape(b) ? -1 : 1))
      .map((operation) => [toPattern(operation.route), operation]);
    this.#basePath = basePath;
  }

  readonly hearAnswer = ({ method, url, status, contentType, body }: Answer): void => {
    const operation = this.#findOperation(method, url);
    if (operation) this.#faults.push(...getCheck()(operation.name, status, contentType, JSON.parse(body)));
  };

  /** @throws Error when an answer was not as published. */
  expectAsPublished(): void {
    if (this.#faults.length > 0) throw new Error(`not as published:\n${this.#faults.slice(0, 10).join('\n')}`);
  }

  #findOperation(method: string, url: string): Operation | undefined {
    const path = url.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*/s, '');
    if (!path.startsWith(`${this.#basePath}/`)) return undefined;
    const target = `${method === 'HEAD' ? 'GET' : method} ${decodeSegments(path.slice(this.#basePath.length))}`;
    return this.#operations.find(([pattern]) => pattern.test(target))?.[1];
  }
}

const toPattern = (route: string): RegExp =>
  new RegExp(
    `^${route
      .replace(/\/$/, '')
      .replaceAll('.', '\\.')
      .replaceAll(/\{\w+\}/g, '[^/]+')}/?$`,
    's',
  );

/** What cannot be decoded is no operation's; a slash within a segment stays encoded. */
function decodeSegments(path: string): string {
  try {
    return path
      .split('/')
      .map((each) => decodeURIComponent(each).replaceAll('/', '%2F'))
      .join('/');
  } catch {
    return '';
  }
}
