import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, RequestHandler, Response } from 'express';
import { icon, style } from '../../toolkit/html.ts';
import { referenceScript } from './reference.ts';

/** A response that is the same for everybody. All responses share its bytes, plain and as gzip. */
export class PreparedPage {
  readonly #type: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #plain: Buffer;
  readonly #etag: string;
  #gzipped: Promise<Buffer> | undefined;

  /** @param type a file extension, or a media type. */
  constructor(type: string, content: string | Buffer, headers: Readonly<Record<string, string>> = {}) {
    this.#type = type;
    this.#headers = headers;
    this.#plain = Buffer.from(content);
    this.#etag = `W/"${hash('sha1', this.#plain, 'base64url')}"`;
  }

  /** Sends the page, or 304 if the caller has it. */
  async send(req: Request, res: Response): Promise<void> {
    const zip = req.acceptsEncodings('gzip', 'identity') === 'gzip';
    if (zip) this.#gzipped ??= promisify(gzip)(this.#plain);
    const body = zip && this.#gzipped ? await this.#gzipped : this.#plain;
    res.type(this.#type).set({ ...this.#headers, ETag: this.#etag, Vary: 'Accept-Encoding' });
    if (req.fresh) {
      res.status(304).end();
      return;
    }
    if (zip) res.set('Content-Encoding', 'gzip');
    res.set('Content-Length', String(body.length)).end(body);
  }

  readonly handler: RequestHandler = (req, res) => this.send(req, res);
}

/** A browser asks for changes each time, so that no page uses the scripts of another version. */
const headers = { 'Cache-Control': 'no-cache' };

/** The path of Scalar's file: a build has it beside this one, the sources in node_modules. */
const scalar = [
  join(import.meta.dirname, 'scalar.js'),
  join(import.meta.dirname, '../../../node_modules/@scalar/api-reference/dist/browser/standalone.js'),
].find((file) => existsSync(file));

/** The license of Scalar, which every copy must include. */
const scalarNotice = `/*!
Scalar API Reference. MIT License. Copyright (c) 2023-present Scalar

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files
(the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge,
publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do
so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE
FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
*/
`;

/** All assets of the pages, by file name. Each is created on request, because the API does not need Scalar's 4 MB. */
export const createAssets = (): ReadonlyMap<string, () => PreparedPage> =>
  new Map([
    ['puente.css', makeOnce(() => new PreparedPage('css', style, headers))],
    ['icon.svg', makeOnce(() => new PreparedPage('svg', icon, headers))],
    ['reference.js', makeOnce(() => new PreparedPage('js', referenceScript, headers))],
    ...(scalar === undefined
      ? []
      : [
          [
            'scalar.js',
            makeOnce(() => new PreparedPage('js', scalarNotice + readFileSync(scalar, 'utf8'), headers)),
          ] as const,
        ]),
  ]);

function makeOnce<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
