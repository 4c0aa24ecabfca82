import { hash } from 'node:crypto';

/** The SHA-256 of the JSON text of data, in hexadecimal. */
export const computeDigest = (content: unknown): string => hash('sha256', JSON.stringify(content));
