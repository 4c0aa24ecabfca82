import { z } from 'zod';
import { type Address, toCountryName } from '../../ports/index.ts';
import { omitUndefined } from '../../toolkit/records.ts';
import { text } from '../scalars.ts';

/** An address in a response. API document, section 2 "Patient". */
export const address = z
  .object({
    street: z.string(),
    number: z.string(),
    floor: z.string(),
    apartment: z.string(),
    city: z.string(),
    state: z.string(),
    country: z.string(),
    zip_code: z.string(),
  })
  .partial({ floor: true, apartment: true })
  .meta({
    id: 'Address',
    description: 'A postal address. Unknown parts are empty; `floor` and `apartment` are absent then.',
  });

/** An address in a request. Every part is optional. */
export const addressIn = z
  .strictObject({
    street: text(),
    number: text(),
    floor: text(),
    apartment: text(),
    city: text(),
    state: text(),
    country: text(),
    zip_code: text(),
  })
  .partial()
  .meta({ id: 'AddressInput' });

const unknownParts = { street: '', number: '', city: '', state: '', country: '', zip_code: '' };

/** The address in the form of Group A. */
export const toAddressBody = ({ zipCode, ...rest }: Address): z.input<typeof address> => ({
  ...unknownParts,
  ...omitUndefined({ ...rest, zip_code: zipCode }),
});

/** The address in the form of the ports: without empty parts, and the country by its name. */
export const toAddress = ({ zip_code, country = '', ...rest }: z.output<typeof addressIn>): Address =>
  Object.fromEntries(
    Object.entries({ ...rest, country: toCountryName(country), zipCode: zip_code }).filter(([, part]) => part),
  );
