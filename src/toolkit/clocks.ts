import { tracingChannel } from 'node:diagnostics_channel';
import type { Finding } from '../ports/index.ts';

/** The accepted difference of two clocks in milliseconds. Servers refuse signed logins beyond it. */
const TOLERANCE_MS = 30_000;

/** An answer with the times of its request and its arrival by this clock, in milliseconds since 1970. */
export interface TimedAnswer {
  /** Names in lower case. */
  readonly headers: { readonly date?: string | undefined; readonly age?: string | undefined };
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** The answers of other systems. Without a subscriber nothing is published. */
export const answers = tracingChannel<unknown, TimedAnswer & { readonly host: string }>('puente:answer').start;

/** Returns whether the clock of a server, by its `Date` header, agrees with this machine's. */
export function examineClock(
  { headers, sentAt, receivedAt }: TimedAnswer,
  toleranceMs: number = TOLERANCE_MS,
): Finding {
  const check = 'clock';
  const told = Date.parse(headers.date ?? '');
  if (Number.isNaN(told)) return { check, ok: null, detail: 'the server does not send its time (header Date)' };
  // A cache on the way repeats the time of the first answer. The header has a resolution of one second. An invalid age
  // is ignored (RFC 9111, section 5.1).
  const age = /^\d+$/.test(headers.age ?? '') ? Number(headers.age) : 0;
  const time = told + age * 1000;
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
    fix: 'synchronize both machines with a time server (NTP)',
  };
}

/** @param ms by which the clock is ahead of this machine's. */
export const describeOffset = (whose: string, ms: number): string =>
  `the clock of ${whose} is ${formatDuration(Math.abs(ms))} ${ms < 0 ? 'behind' : 'ahead of'} this machine’s clock`;

function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} seconds`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} minutes` : `${Math.round(seconds / 3600)} hours`;
}
