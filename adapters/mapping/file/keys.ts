import { type ThingName, things } from './things.ts';

/** A condition, and the thing whose key it compares. */
interface Condition {
  readonly key: string;
  readonly name: string;
  readonly is: '=' | '>=' | '<=';
  readonly isOptional?: true;
  /** True if rows without a value match too. */
  readonly orNull?: true;
  /**
   * The key whose column applies if the file has no column for `key`, or if that is NULL. Rows in which it is later match
   * too: an end before its begin, such as `0000-00-00`, is no end.
   */
  readonly otherwise?: string;
}

const is = (key: string, name = key): Condition => ({ key, name, is: '=' });
const may = (key: string, name = key): Condition => ({ key, name, is: '=', isOptional: true });
const from = (key: string, name: string): Condition => ({ key, name, is: '>=' });
const to = (key: string, name: string): Condition => ({ key, name, is: '<=' });

/** A taken time without a practitioner closes the time of everybody. */
const ownerOrNobody: Condition = { ...may('practitionerId'), orNull: true };

/** Several compositions. The first one whose keys the file has applies. */
type Ways = readonly (readonly Condition[])[];

const among = [may('serviceId'), may('practitionerId'), may('locationId')];
const all: Ways = [[]];

/** The compositions of each question from the keys of its thing. */
const compositions: Readonly<Record<string, Ways>> = {
  'patients.byId': [[is('id')]],
  'patients.byDocument': [[is('document', 'identifier'), may('documentType', 'identifierType')]],
  'patients.byBirthDate': [[is('birthDate'), may('gender'), may('documentType', 'identifierType')]],
  'practitioners.all': all,
  'practitioners.mainOf': [[is('patientId')]],
  'locations.all': all,
  'services.all': all,
  'carriers.all': all,
  'plans.all': all,
  'entries.all': all,
  'schedules.all': all,
  'coverages.byId': [[is('id')]],
  'coverages.ofPatient': [[is('patientId')]],
  'exceptions.between': [
    [to('firstDay', 'toDay'), { ...from('lastDay', 'fromDay'), isOptional: true, otherwise: 'firstDay' }],
  ],
  'taken.between': [
    [from('start', 'from'), to('start', 'to'), ownerOrNobody],
    [from('day', 'fromDay'), to('day', 'toDay'), ownerOrNobody],
  ],
  'slots.between': [
    [from('start', 'from'), to('start', 'to'), ...among],
    [from('day', 'fromDay'), to('day', 'toDay'), ...among],
  ],
  'appointments.ofPatient': [[is('patientId'), may('id', 'appointmentId')]],
  'relatives.ofPatient': [[is('patientId')]],
};

/** The compositions of a question. The first one whose keys the file has applies. */
export const listWays = (thing: string, question: string): Ways => compositions[`${thing}.${question}`] ?? [];

/** The keys that a thing may have. */
export const listKeyNames = (thing: ThingName): readonly string[] => [
  ...new Set(
    Object.keys(things[thing].questions)
      .flatMap((question) => listWays(thing, question).flat())
      .map(({ key }) => key),
  ),
];

/** The keys that each composition of a question requires. */
export const listNeededKeys = (thing: string, question: string): readonly (readonly string[])[] =>
  listWays(thing, question).map((way) => [
    ...new Set(way.filter(({ isOptional }) => !isOptional).map(({ key }) => key)),
  ]);

/** True if a key belongs to a question all of whose required keys are present. */
export const isKeyOfQuestion = (thing: ThingName, key: string, keys: object): boolean =>
  Object.keys(things[thing].questions).some((question) =>
    listWays(thing, question).some(
      (way) =>
        way.some((each) => each.key === key) && way.every((each) => each.isOptional || Object.hasOwn(keys, each.key)),
    ),
  );

/** The key that compares a criterion of a question. */
export const findKey = (thing: string, question: string, name: string): string | undefined =>
  listWays(thing, question)
    .flat()
    .find((each) => each.name === name)?.key;
