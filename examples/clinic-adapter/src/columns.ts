import { type Day, type LocalDateTime, type Modality, type Zone, z } from 'puente/adapter';

/** How the legacy system writes things down. Each of these reads a column into the words of the ports. */

/** Text, without the blanks with which columns are filled up; empty when there is none. */
export const text = z
  .string()
  .nullable()
  .transform((value) => value?.trim() ?? '');

/** A numeric key, as the text that an id is. */
export const key = z.int().transform(String);

/** A code that means one of these. */
export const code = <T>(meanings: Readonly<Record<string, T>>) =>
  z.union([z.string(), z.int()]).transform((value, context) => {
    const found = Object.entries(meanings).find(([each]) => each === String(value).trim());
    if (found) return found[1];
    context.addIssue('is no code that is known');
    return z.NEVER;
  });

export const flag = code({ S: true, N: false });

export const modality = code<Modality>({ S: 'virtual', N: 'in-person' });

/** From `baja`: whether the row is still there. */
export const active = code({ S: false, N: true });

/** `DD/MM/AAAA`. */
export const day = z
  .string()
  .transform((value) => value.trim().split('/').toReversed().join('-'))
  .pipe(z.iso.date());

export const formatDay = (value: Day): string => value.split('-').toReversed().join('/');

/** `AAAA-MM-DD HH:MM`, in the zone of the clinic. */
const localTime = z
  .string()
  .transform((value) => `${value.trim().replace(' ', 'T')}:00`)
  .pipe(z.iso.datetime({ local: true }));

/** A local time, and the same in milliseconds since 1970 (UTC). */
export interface Moment {
  readonly local: LocalDateTime;
  readonly epoch: number;
}

/** The same as a moment; a time that a clock change skips is none. */
export const createMoment = (zone: Zone): z.ZodType<Moment> =>
  localTime.transform((local, context) => {
    const epoch = zone.toEpoch(local);
    if (epoch !== undefined) return { local, epoch };
    context.addIssue('is skipped by a clock change');
    return z.NEVER;
  });

export const formatLocalTime = (value: LocalDateTime): string => value.slice(0, 16).replace('T', ' ');

/** The numeric key that is written like this; null, which equals nothing in SQL, where no key is. */
export const parseKey = (id: string | undefined): number | null =>
  /^[1-9]\d{0,14}$/.test(id ?? '') ? Number(id) : null;
