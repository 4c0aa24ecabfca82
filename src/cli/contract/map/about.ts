import type { FixtureName } from '../../../contract/index.ts';

/** What a person who fills in the map has to know of a fixture. */
interface About {
  readonly about: string;
  /** What a value that is not just an id looks like. */
  readonly example?: string;
}

/** Every fixture, in the order of the map. */
export const fixtures: Readonly<Record<FixtureName, About>> = {
  bookingHorizonDays: { about: 'How many days ahead slots are offered.', example: '60' },
  cancelUntilHours: {
    about:
      'How many hours before its start an appointment can be canceled at the latest. Leave it out where there is no rule.',
    example: '24',
  },
  'patients.complete': {
    about:
      'A woman of age with all that is offered: main practitioner, request for another one, ticket with the status completed, coverages, relatives, and appointments, past, canceled and far enough ahead to be canceled.',
  },
  'patients.bare': {
    about: 'A man of age without main practitioner, request for another one, ticket, appointment and relatives.',
  },
  'patients.child': { about: 'Too young for services.bookable.' },
  'patients.passportHolder': { about: 'Is identified by a passport.' },
  'patients.payer': { about: 'Has an appointment with a payment. Leave it out where nobody pays online.' },
  'patients.spare': {
    about:
      'People of age for whom the contract may write where nobody can be registered: at least three, not related, without a request for another practitioner.',
    example: '["101", "102", "103"]',
  },
  identity: {
    about: 'Who patients.complete is.',
    example: '{ identifierType: DNI, identifier: 12345678, birthDate: 1980-01-31, gender: Female }',
  },
  passport: { about: 'The number of the passport of patients.passportHolder, with letters.' },
  'coverages.active': { about: 'Of patients.complete.' },
  'coverages.inactive': { about: 'Of patients.complete.' },
  'coverages.ofBare': { about: 'Of patients.bare.' },
  'coverages.ofChild': { about: 'Of patients.child.' },
  'plans.accepted': { about: 'A plan that services.bookable and services.restricted accept.' },
  'plans.another': { about: 'Another such plan.' },
  'plans.refused': { about: 'A plan that services.restricted does not accept.' },
  'plans.withdrawn': { about: 'A plan that is no longer sold.' },
  'carriers.withPlans': { about: 'A carrier with plans, and its name.', example: '{ id: "7", name: OSDE }' },
  'carriers.withoutPlans': { about: 'A carrier that has no plan.' },
  owner: { about: 'An institution that has contracts with some carriers, but not with all.' },
  'services.bookable': {
    about:
      'A consultation for adults and every plan, with free slots at two locations in the coming two to four weeks.',
  },
  'services.second': { about: 'Has free slots at the same times as services.bookable, with practitioners.second.' },
  'services.virtual': { about: 'Is given over video, by practitioners.bookable.' },
  'services.womenOnly': { about: 'A service for women, with free slots.' },
  'services.childrenOnly': { about: 'A service for those who are too young for services.bookable.' },
  'services.restricted': {
    about:
      'A PRACTICA for some plans only, which needs an authorisation, with free slots. Leave it out where nobody is insured.',
  },
  'services.walkIn': { about: 'A service for everybody that needs no appointment.' },
  'services.inactive': { about: 'A service that is no longer offered. The API does not show it.' },
  'services.frequent': {
    about:
      'What patients.complete booked in the last 24 months, most often first, each a different number of times: two services.',
    example: '["11", "12"]',
  },
  'practitioners.bookable': { about: 'Gives services.bookable and services.virtual.' },
  'practitioners.second': { about: 'Gives services.second, and not services.bookable.' },
  'locations.first': { about: 'Where services.bookable and services.second are given.' },
  'locations.another': { about: 'Where services.bookable is given too.' },
  ticketType: {
    about: 'A type of ticket, a field whose pattern takes one text and not another, and a field for a date.',
    example: '{ id: "3", checked: { id: "31", fits: some text, misfit: "%&!" }, date: "32" }',
  },
  typedTicketType: {
    about: 'A type of ticket with a field of each of these types; the number can be 3.',
    example: '{ id: "4", file: "41", number: "42", boolean: "43" }',
  },
  inactiveTicketType: { about: 'A type that takes no tickets any more. The API does not show it.' },
  changeReason: { about: 'A reason to ask for another main practitioner.' },
};

/** Every fixture, in the order of the map. */
export const fixtureNames = Object.keys(fixtures) as readonly FixtureName[];
