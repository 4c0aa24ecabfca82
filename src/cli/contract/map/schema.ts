import { z } from 'zod';
import { timeZone } from '../../../config/schema.ts';
import { ruleNames } from '../../../contract/rules.ts';
import { capabilities } from '../../../ports/index.ts';

const id = z.string('must be text: put a number between quotation marks').min(1).exactOptional();
const pair = z.strictObject({ id: z.string(), name: z.string() });

/** A fixture map: the fixtures of the contract, each of which may be left out, and what is offered. */
export const mapSchema = z.strictObject({
  offers: z.array(z.enum(capabilities)).optional(),
  timeZone: timeZone.optional(),
  locale: z.string().min(1).optional(),
  bookingHorizonDays: z.int().min(1).exactOptional(),
  cancelUntilHours: z.int().min(0).exactOptional(),
  unknown: z.string().min(1).optional(),
  rules: z.array(z.enum(ruleNames)).exactOptional(),
  patients: z
    .strictObject({
      complete: id,
      bare: id,
      child: id,
      passportHolder: id,
      payer: id,
      spare: z.array(z.string()).min(3).exactOptional(),
    })
    .exactOptional(),
  identity: z
    .strictObject({
      identifierType: z.literal('DNI'),
      identifier: z.int(),
      birthDate: z.iso.date(),
      gender: z.enum(['Male', 'Female', 'Other']),
    })
    .exactOptional(),
  passport: id,
  coverages: z.strictObject({ active: id, inactive: id, ofBare: id, ofChild: id }).exactOptional(),
  plans: z.strictObject({ accepted: id, another: id, refused: id, withdrawn: id }).exactOptional(),
  carriers: z.strictObject({ withPlans: pair.exactOptional(), withoutPlans: id }).exactOptional(),
  owner: id,
  services: z
    .strictObject({
      bookable: id,
      second: id,
      virtual: id,
      womenOnly: id,
      childrenOnly: id,
      restricted: id,
      walkIn: id,
      inactive: id,
      frequent: z.tuple([z.string(), z.string()]).exactOptional(),
    })
    .exactOptional(),
  practitioners: z.strictObject({ bookable: id, second: id }).exactOptional(),
  locations: z.strictObject({ first: id, another: id }).exactOptional(),
  ticketType: z
    .strictObject({
      id: z.string(),
      checked: z.strictObject({ id: z.string(), fits: z.string(), misfit: z.string() }),
      date: z.string(),
    })
    .exactOptional(),
  typedTicketType: z
    .strictObject({ id: z.string(), file: z.string(), number: z.string(), boolean: z.string() })
    .exactOptional(),
  inactiveTicketType: id,
  changeReason: id,
});

/** What a map says, checked. */
export type FixtureMap = z.infer<typeof mapSchema>;
