import { hl7 } from '../../../adapters/fhir/schema/terminology.ts';
import { addDays } from '../../../adapters/zone.ts';
import type { Ago, Phone, Place } from './hospital.ts';
import type { Context } from './plan.ts';

export const concept = (system: string, code: string, text?: string) => ({
  coding: [{ system, code }],
  ...(text && { text }),
});

/** An identifier whose kind is one of HL7's table 0203. */
export const typedId = (type: string, system: string, value: string) => ({
  type: concept(hl7.identifierType, type),
  system,
  value,
});

/** The name of a person in one line and in its parts; a title at its beginning ends with a dot. */
export function humanName(name: string) {
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

const phone = ({ type, value }: Phone) => ({ system: 'phone', use: type === 'cell-phone' ? 'mobile' : 'work', value });
const email = (value: string) => ({ system: 'email', value });

/** Elements `telecom`, as far as there is any. */
export function telecom(address: string, phones: readonly Phone[]) {
  const all = [...phones.filter(({ value }) => value !== '').map(phone), ...(address === '' ? [] : [email(address)])];
  return all.length > 0 && { telecom: all };
}

const addressParts = { street: 'streetName', number: 'houseNumber', floor: 'additionalLocator', apartment: 'unitID' };

/** An address whose first line is there in its parts too (ISO 21090). */
export function address(place: Place, use?: 'home' | 'work') {
  const { street, number, floor, apartment, city, state, country, zipCode } = place;
  const extension = Object.entries(addressParts).flatMap(([part, name]) => {
    const valueString = place[part as keyof typeof addressParts];
    return valueString ? [{ url: hl7.addressPart(name), valueString }] : [];
  });
  const words = [[street, number].filter(Boolean).join(' '), floor && `Piso ${floor}`, apartment && `Dto ${apartment}`];
  const line = words.filter(Boolean).join(', ');
  return {
    ...(use && { use }),
    ...(line !== '' && { line: [line], _line: [{ extension }] }),
    ...(city && { city }),
    ...(state && { state }),
    ...(zipCode && { postalCode: zipCode }),
    ...(country && { country: country === 'Argentina' ? 'AR' : country }),
  };
}

/** Element `position` (WGS 84), where it is known. */
export const toPosition = ({ latitude, longitude }: { readonly latitude: string; readonly longitude: string }) =>
  latitude !== '' && longitude !== '' && { position: { latitude: Number(latitude), longitude: Number(longitude) } };

/** The moment in UTC; the beginning of the day where a change of the clocks skips the time. */
export function toInstant({ daysAgo, time }: Ago, { zone, now }: Context): string {
  const day = addDays(zone.toLocalDay(now), -daysAgo);
  const epoch = zone.toEpoch(`${day}T${time}:00`);
  return epoch === undefined ? zone.toStartOfDay(day) : new Date(epoch).toISOString();
}

/** Says when the institution itself made something; servers know only when they got it. */
export const createdAt = (ago: Ago, context: Context) => ({
  url: context.codes.extension('created-at'),
  valueDateTime: toInstant(ago, context),
});
