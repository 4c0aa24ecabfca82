import { PassThrough, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { AxiosRequestHeaders } from 'axios';

/** What axios makes of an object in `data` when it is sent as `multipart/form-data`. */
interface FormStream extends Readable {
  getHeaders(): Record<string, string>;
}

/** The bytes of what axios lets stand in `data`; forms and files say their type in the headers. */
export async function readRequestBody(data: unknown, headers: AxiosRequestHeaders): Promise<Buffer | undefined> {
  if (data === undefined || data === null) return undefined;
  if (Buffer.isBuffer(data)) return data;
  if (typeof data === 'string') return Buffer.from(data);
  if (isKind<ArrayBuffer>(data, 'ArrayBuffer')) return Buffer.from(data);
  if (isFormStream(data)) {
    headers.set(data.getHeaders());
    return buffer(data.pipe(new PassThrough()));
  }
  if (isKind<FormData>(data, 'FormData') || isKind<Blob>(data, 'Blob') || isKind<Blob>(data, 'File')) {
    const whole = new Response(data);
    headers.setContentType(whole.headers.get('Content-Type') ?? 'application/octet-stream');
    return Buffer.from(await whole.arrayBuffer());
  }
  return buffer(data as Readable | ReadableStream);
}

const isFormStream = (data: object): data is FormStream => 'getHeaders' in data && 'pipe' in data;

const isKind = <T>(value: unknown, kind: string): value is T =>
  Object.prototype.toString.call(value) === `[object ${kind}]`;
