import { toFhirAddress } from '../../../adapters/fhir/datatypes/person.ts';
import { toInstant } from '../../../adapters/memory/relative-times.ts';
import type { Phone, RelativeTime } from '../../../adapters/memory/world-schema.ts';
import type { Address } from '../../ports/index.ts';
import type { Context } from './plan.ts';

export const toConcept = (system: string, code: string, text?: string) => ({
  coding: [{ system, code }],
  ...(text && { text }),
});

/** The name of a person in one line and in its parts; a first word that ends with a dot is a title. */
export function toHumanName(name: string) {
  const words = name.split(' ');
  const prefix = words[0]?.endsWith('.') ? words.slice(0, 1) : [];
  const [given = '', ...family] = words.slice(prefix.length);
  return {
    use: 'official',
    text: name,
    ...(family.length > 0 && { family: family.join(' ') }),
    given: [given],
    ...(prefix.length > 0 && { prefix }),
  };
}

/** Element `telecom`, unless there is nothing to put into it. */
export function toTelecom(email: string, phones: readonly Phone[]) {
  const telecom = [
    ...phones
      .filter(({ value }) => value !== '')
      .map(({ type, value }) => ({ system: 'phone', use: type === 'cell-phone' ? 'mobile' : 'work', value })),
    ...(email === '' ? [] : [{ system: 'email', value: email }]),
  ];
  return telecom.length > 0 && { telecom };
}

/** The address as the adapter writes it, with the country as its ISO 3166 code where that is known. */
export const toAddress = (address: Address, use: 'home' | 'work') => ({
  ...toFhirAddress(address),
  use,
  ...(address.country === 'Argentina' && { country: 'AR' }),
});

/** Element `position` (WGS 84), unless it is unknown. */
export const toPosition = ({ latitude, longitude }: { readonly latitude: string; readonly longitude: string }) =>
  latitude !== '' && longitude !== '' && { position: { latitude: Number(latitude), longitude: Number(longitude) } };

/** An extension with the moment at which the institution created something; `meta` only has that of the seeding. */
export const toCreatedAt = (created: RelativeTime, { codes, today, zone }: Context) => ({
  url: codes.extension('created-at'),
  valueDateTime: toInstant(created, today, zone),
});
