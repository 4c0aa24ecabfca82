import { z } from 'zod';
import { timeZone } from '../../../config/schema.ts';
import type { FixtureName } from '../../../contract/index.ts';
import { ruleNames } from '../../../contract/rules.ts';
import { capabilities } from '../../../ports/index.ts';

const text = z.string('must be text: put a number between quotation marks').min(1);

/** A fixture that may be left out, with what a person who fills in the map has to know of it, and what it looks like. */
const describe = <T extends z.ZodType>(schema: T, description: string, example?: string) =>
  schema.exactOptional().meta({ description, ...(example !== undefined && { example }) });

const id = (description: string) => describe(text, description);

const records = (description: string) =>
  describe(
    z.array(z.looseObject({ id: text })),
    `${description} Drafted from what it shows today: look each up in the system itself, and correct what is wrong.`,
  );

/** A fixture map: the fixtures of the contract, each of which may be left out, and what is offered. */
export const mapSchema = z.strictObject({
  offers: z.array(z.enum(capabilities)).optional(),
  timeZone: timeZone.optional(),
  locale: z.string().min(1).optional(),
  unknown: z.string().min(1).optional(),
  rules: z.array(z.enum(ruleNames)).exactOptional(),
  bookingHorizonDays: describe(z.int().min(1), 'How many days ahead slots are offered.', '60'),
  cancelUntilHours: describe(
    z.int().min(0),
    'How many hours before its start an appointment can be canceled at the latest. Leave it out where there is no rule.',
    '24',
  ),
  patients: z
    .strictObject({
      complete: id(
        'A woman of age with all that is offered: main practitioner, request for another one, ticket with the status completed, coverages, relatives, and appointments, past, canceled and far enough ahead to be canceled.',
      ),
      bare: id('A man of age without main practitioner, request for another one, ticket, appointment and relatives.'),
      child: id('Too young for services.bookable.'),
      passportHolder: id('Is identified by a passport.'),
      payer: id('Has an appointment with a payment. Leave it out where nobody pays online.'),
      spare: describe(
        z.array(z.string()).min(3),
        'People of age for whom the contract may write where nobody can be registered: at least three, not related, without a request for another practitioner.',
        '["101", "102", "103"]',
      ),
    })
    .exactOptional(),
  identity: describe(
    z.strictObject({
      identifierType: z.literal('DNI'),
      identifier: z.int(),
      birthDate: z.iso.date(),
      gender: z.enum(['Male', 'Female', 'Other']),
    }),
    'Who patients.complete is.',
    '{ identifierType: DNI, identifier: 12345678, birthDate: 1980-01-31, gender: Female }',
  ),
  passport: id('The number of the passport of patients.passportHolder, with letters.'),
  coverages: z
    .strictObject({
      active: id('Of patients.complete.'),
      inactive: id('Of patients.complete.'),
      ofBare: id('Of patients.bare.'),
      ofChild: id('Of patients.child.'),
    })
    .exactOptional(),
  plans: z
    .strictObject({
      accepted: id('A plan that services.bookable and services.restricted accept.'),
      another: id('Another such plan.'),
      refused: id('A plan that services.restricted does not accept.'),
      withdrawn: id('A plan that is no longer sold.'),
    })
    .exactOptional(),
  carriers: z
    .strictObject({
      withPlans: describe(
        z.strictObject({ id: z.string(), name: z.string() }),
        'A carrier with plans, and its name.',
        '{ id: "7", name: OSDE }',
      ),
      withoutPlans: id('A carrier that has no plan.'),
    })
    .exactOptional(),
  owner: id('An institution that has contracts with some carriers, but not with all.'),
  services: z
    .strictObject({
      bookable: id(
        'A consultation for adults and every plan, with free slots at two locations in the coming two to four weeks.',
      ),
      second: id('Has free slots at the same times as services.bookable, with practitioners.second.'),
      virtual: id('Is given over video, by practitioners.bookable.'),
      womenOnly: id('A service for women, with free slots.'),
      childrenOnly: id('A service for those who are too young for services.bookable.'),
      restricted: id(
        'A PRACTICA for some plans only, which needs an authorisation, with free slots. Leave it out where nobody is insured.',
      ),
      walkIn: id('A service for everybody that needs no appointment.'),
      inactive: id('A service that is no longer offered. The API does not show it.'),
      frequent: describe(
        z.tuple([z.string(), z.string()]),
        'What patients.complete booked in the last 24 months, most often first, each a different number of times: two services.',
        '["11", "12"]',
      ),
    })
    .exactOptional(),
  practitioners: z
    .strictObject({
      bookable: id('Gives services.bookable and services.virtual.'),
      second: id('Gives services.second, and not services.bookable.'),
    })
    .exactOptional(),
  locations: z
    .strictObject({
      first: id('Where services.bookable and services.second are given.'),
      another: id('Where services.bookable is given too.'),
    })
    .exactOptional(),
  ticketType: describe(
    z.strictObject({
      id: z.string(),
      checked: z.strictObject({ id: z.string(), fits: z.string(), misfit: z.string() }),
      date: z.string(),
    }),
    'A type of ticket, a field whose pattern takes one text and not another, and a field for a date.',
    '{ id: "3", checked: { id: "31", fits: some text, misfit: "%&!" }, date: "32" }',
  ),
  typedTicketType: describe(
    z.strictObject({ id: z.string(), file: z.string(), number: z.string(), boolean: z.string() }),
    'A type of ticket with a field of each of these types; the number can be 3.',
    '{ id: "4", file: "41", number: "42", boolean: "43" }',
  ),
  inactiveTicketType: id('A type that takes no tickets any more. The API does not show it.'),
  changeReason: id('A reason to ask for another main practitioner.'),
  records: z
    .strictObject({
      patients: records('What the API has to show of some patients.'),
      practitioners: records('The same of practitioners.'),
      services: records('The same of services.'),
      appointments: records('The same of appointments that are past; of date the local time alone will do, T09:30:00.'),
      coverages: records('The same of coverages, active and inactive.'),
    })
    .exactOptional(),
});

/** What a map says, checked. */
export type FixtureMap = z.infer<typeof mapSchema>;

/** Every fixture with its description, in the order of the map. */
export const fixtures = new Map(listDescribed(mapSchema)) as ReadonlyMap<FixtureName, z.core.GlobalMeta>;

/** The described fields of a schema, and of the sections in it, e.g. `patients.bare`. */
function listDescribed(schema: z.ZodObject, prefix = ''): [string, z.core.GlobalMeta][] {
  return Object.entries(schema.shape).flatMap(([name, field]): [string, z.core.GlobalMeta][] => {
    const meta = z.globalRegistry.get(field);
    if (meta) return [[`${prefix}${name}`, meta]];
    const inner = field instanceof z.ZodExactOptional ? field.unwrap() : field;
    return inner instanceof z.ZodObject ? listDescribed(inner, `${name}.`) : [];
  });
}
