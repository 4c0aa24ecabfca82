import { z } from 'zod';
import { Cached } from '../../../src/toolkit/cached.ts';
import { listNames, type Question, type SourceCall, type SourceRecord } from './source.ts';

export const keep = z.int().min(1).max(86_400).optional().meta({
  description: 'Seconds for which the answer is used again; for questions without `:names`.',
});

/** Refuses to keep what depends on what is asked. */
export const isKeepable = ({ keep, ...rest }: { readonly keep?: number | undefined }): boolean =>
  keep === undefined || listNames(rest).length === 0;
export const keepFault = { path: ['keep'], message: 'is for questions without :names' };

/** How many requests one load of what is kept may take the time of. */
const KEPT_REQUESTS = 10;

/**
 * The same question, whose answer is used again if it is kept.
 * @param timeout milliseconds for one request.
 */
export function keepAnswer(question: Question, seconds: number | undefined, timeout: number): Question {
  if (seconds === undefined) return question;
  const kept = new Cached<readonly SourceRecord[], SourceCall>((call) => question.ask({}, call), {
    ttlMs: () => seconds * 1_000,
    timeoutMs: timeout * KEPT_REQUESTS,
  });
  return { ...question, isKept: true, ask: (_, call) => kept.get(call) };
}
