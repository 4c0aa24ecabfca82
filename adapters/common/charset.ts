import iconv from 'iconv-lite';
import { z } from 'zod';

/** The name of a charset. */
export const charset = z
  .string()
  .refine((name) => iconv.encodingExists(name), 'is an unknown charset: name one such as ISO-8859-1');

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws TypeError when the bytes are not UTF-8. In other charsets, all bytes are valid. */
export const decodeText = (data: Uint8Array, name: string): string =>
  /^utf-?8$/i.test(name) ? utf8.decode(data) : iconv.decode(Buffer.from(data), name);
