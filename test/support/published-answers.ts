import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import type { Response } from 'express';
import { getRequestContext } from '../../src/http/request-context.ts';
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

  /** The app, with its answers watched. */
  watch(app: RequestListener): RequestListener {
    return (req, res) => {
      const { end, write } = res;
      let written = '';
      res.write = (...given: unknown[]) => {
        written += given[0];
        return Reflect.apply(write, res, given);
      };
      res.end = (...given: unknown[]) => {
        const body = written || given[0];
        const { operation } = getRequestContext(res as Response) ?? {};
        const type = res.getHeader('content-type');
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
