import { tracingChannel } from 'node:diagnostics_channel';
import type { Finding } from '../ports/index.ts';

/** Milliseconds that two clocks may be apart: beyond it servers refuse signed logins. */
const TOLERANCE_MS = 30_000;

/** An answer, and when on our clock it was asked for and came. Milliseconds since 1970. */
export interface TimedAnswer {
  /** Names in lower case. */
  readonly headers: { readonly date?: string | undefined; readonly age?: string | undefined };
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** An answer of another system. Without a subscriber nothing is published. */
export const answers = tracingChannel<unknown, TimedAnswer & { readonly host: string }>('puente:answer').start;

/** True if the clock of a server, as its header `Date` tells it, agrees with ours. */
export function examineClock(
  { headers, sentAt, receivedAt }: TimedAnswer,
  toleranceMs: number = TOLERANCE_MS,
): Finding {
  const check = 'clock';
  const told = Date.parse(headers.date ?? '');
  if (Number.isNaN(told)) return { check, ok: null, detail: 'the server does not send its time (header Date)' };
  // A cache on the way repeats the time of the first answer; seconds are all that the header tells.
  const time = told + Number(headers.age ?? 0) * 1000;
  const behind = sentAt - 1000 - time;
  const ahead = time - receivedAt;
  const apart = Math.max(behind, ahead);
  if (apart <= toleranceMs) {
    const detail = `the clocks of the server and of this machine agree within ${toleranceMs / 1000} seconds`;
    return { check, ok: true, detail };
  }
  return {
    check,
    ok: false,
    detail: describeOffset('the server', behind > ahead ? -apart : apart),
    fix: 'let both machines take their time from a time server (NTP)',
  };
}

/** @param ms by which the clock is ahead of ours. */
export const describeOffset = (whose: string, ms: number): string =>
  `the clock of ${whose} is ${formatDuration(Math.abs(ms))} ${ms < 0 ? 'behind' : 'ahead of'} that of this machine`;

function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} seconds`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} minutes` : `${Math.round(seconds / 3600)} hours`;
}
