import { promisify } from 'node:util';
import zlib from 'node:zlib';

/** For the header `Accept-Encoding`. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

const unzip = promisify(zlib.unzip);
const inflateRaw = promisify(zlib.inflateRaw);
const decompressBrotli = promisify(zlib.brotliDecompress);

/**
 * Decompresses the bytes. Bytes with an unknown encoding are returned unchanged.
 * @throws the error of zlib, with the code `ERR_BUFFER_TOO_LARGE` beyond the limit.
 */
export async function unpack(bytes: Buffer, encoding: string | undefined, maxBytes: number): Promise<Buffer> {
  if (encoding === undefined || bytes.length === 0) return bytes;
  const options = { maxOutputLength: maxBytes };
  switch (encoding.toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return unzip(bytes, options);
    case 'deflate':
      // Some servers omit the header of zlib, whose first four bits are 8 (RFC 1950).
      return ((bytes[0] ?? 0) & 0x0f) === 8 ? unzip(bytes, options) : inflateRaw(bytes, options);
    case 'br':
      return decompressBrotli(bytes, options);
    default:
      return bytes;
  }
}
