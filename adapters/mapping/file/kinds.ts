import { z } from 'zod';
import { toCountryName } from '../../../src/ports/country-name.ts';
import { tidyDocument } from '../../../src/ports/index.ts';
import { weekdays } from '../../common/weekly-schedules.ts';

/** What a field becomes. The converters of `fields` read the texts of a source by these. */
/** What the path of a URL can carry, as `src/api` has it; `encode` makes others fit. */
export const id = z.string().regex(/^(?!\.{1,2}$)[^\s/\\?#%\p{C}]{1,128}$/u);
/** Empty when it is not known. */
export const text = z.string().default('');
export const flag = z.boolean();
export const day = z.iso.date();
export const localDateTime = z.iso.datetime({ local: true });
export const instant = z.iso.datetime();
export const minutes = z.number().positive();
export const address = z
  .object({
    street: z.string().optional(),
    number: z.string().optional(),
    floor: z.string().optional(),
    apartment: z.string().optional(),
    city: z.string().optional(),
    state: z.string().optional(),
    country: z.string().transform(toCountryName).optional(),
    zipCode: z.string().optional(),
  })
  .default({});
export const gender = z.enum(['Female', 'Male', 'Other']);
export const modality = z.enum(['in-person', 'virtual']);
export const named = z.object({ id, name: text });
/** A document as it is shown. */
export const identifier = z
  .object({ type: z.enum(['DNI', 'Passport', 'Other']), value: z.string() })
  .transform(({ type, value }) => ({ type, value: tidyDocument(type, value) }));
export const phones = z.array(z.object({ type: text, value: z.string().min(1) })).default([]);
export const weekday = z.enum(weekdays);
export const time = z.iso.time().or(z.literal('24:00'));
