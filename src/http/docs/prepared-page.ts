import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, RequestHandler, Response } from 'express';

/** A response that is the same for everybody: bytes that all responses share, plain and as gzip. */
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

  /** Sends the page, or 304 to a caller that has it. */
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
