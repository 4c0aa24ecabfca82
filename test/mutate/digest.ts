import { createHash } from 'node:crypto';

/** The same for the same text, and short. */
export const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 16);
