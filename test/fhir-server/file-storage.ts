import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Binary } from '@medplum/fhirtypes';
import { AccessLog } from './request-log.ts';
import type { Store } from './store.ts';

/** The object storage that presigned links lead to: another origin, where the signature is all that is needed. */
export class FileStorage {
  readonly requests = new AccessLog();
  readonly #http: Server;
  readonly origin: string;

  private constructor(http: Server, origin: string) {
    this.#http = http;
    this.origin = origin;
  }

  static async start(store: Store): Promise<FileStorage> {
    const http = createServer();
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const storage = new FileStorage(http, `http://localhost:${(http.address() as AddressInfo).port}`);
    http.on('request', async ({ method = '', url = '', headers }, response) => {
      const { pathname, searchParams } = new URL(url, 'http://localhost');
      const path = pathname.slice(1);
      storage.requests.add({ method, target: url, path, query: searchParams, headers, body: '' });
      const binary = await store.readResource<Binary>('Binary', path.replace('files/', '')).catch(() => undefined);
      if (!binary || !searchParams.has('Signature')) return response.writeHead(403).end();
      response.writeHead(200, { 'content-type': binary.contentType }).end(Buffer.from(binary.data ?? '', 'base64'));
    });
    return storage;
  }

  /** Turns `Binary/{id}` in every attachment of an answer into a signed link. */
  sign(answer: string): string {
    return answer.replaceAll(/"url":"(?:[^"]*\/)?Binary\/([^"/]+)"/g, (_, id: string) => {
      return `"url":"${this.origin}/files/${id}?Expires=1900000000&Signature=${randomUUID()}"`;
    });
  }

  async stop(): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }
}
