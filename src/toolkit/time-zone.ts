import { Temporal } from 'temporal-polyfill';
import { z } from 'zod';
import { didYouMean } from './problems.ts';

/** The zone of an institution without a configured zone. */
export const defaultTimeZone = 'America/Argentina/Buenos_Aires';

/** The IANA name of a time zone. */
export const timeZone = z.string().superRefine((name, context) => {
  if (isTimeZone(name)) return;
  const hint = didYouMean(name, [defaultTimeZone, ...Intl.supportedValuesOf('timeZone')]);
  context.addIssue({ code: 'custom', message: `must be an IANA time zone${hint || `, e.g. ${defaultTimeZone}`}` });
});

/** Temporal computes with the zone. It rejects some abbreviations that Intl accepts, e.g. `ART`. */
function isTimeZone(name: string): boolean {
  try {
    return /^[A-Z]/i.test(name) && Boolean(Temporal.Now.zonedDateTimeISO(name));
  } catch {
    return false;
  }
}
