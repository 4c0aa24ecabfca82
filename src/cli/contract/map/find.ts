import { z } from 'zod';
import type { FixtureName, Route, Subject } from '../../../contract/index.ts';
import type { Capability } from '../../../ports/index.ts';
import type { Finding } from './write.ts';

/** What the lists of an institution say of its fixtures. */
export interface ListAnswers {
  readonly findings: ReadonlyMap<FixtureName, Finding>;
  /** What answered its list. */
  readonly answered: readonly Capability[];
  /** The routes of the lists that did not. */
  readonly silent: readonly Route[];
}

type Rows = readonly (readonly [FixtureName, unknown, note?: string])[];

interface List {
  readonly capability: Capability;
  readonly route: Route;
  /** The fixtures that its items name by themselves; a value is undefined where none fits. */
  readonly find: (body: unknown) => Rows;
}

const defineList = <T>(capability: Capability, route: Route, schema: z.ZodType<T>, find: (body: T) => Rows): List => ({
  capability,
  route,
  find: (body) => {
    const { data } = schema.safeParse(body);
    return data === undefined ? [] : find(data);
  },
});

const named = z.object({ id: z.string() });
const ticketType = named.extend({ fields: z.array(named.extend({ type: z.string() })) });
const service = named.extend({
  practitioner_id: z.string(),
  appointment_required: z.boolean(),
  min_age: z.number().nullable(),
  max_age: z.number().nullable(),
  sex_id: z.number().nullable(),
});

/** No list says who patients are, nor which carriers have plans. */
const lists: readonly List[] = [
  defineList(
    'care-services.available',
    'GET /health-care-services/search',
    z.object({ health_care_services: z.array(service) }),
    ({ health_care_services: all }) => {
      const bookable = all.find((each) => each.appointment_required && (each.min_age ?? 0) > 0 && each.sex_id === null);
      const isForAll = ({ min_age, max_age, sex_id }: z.infer<typeof service>) => !(min_age ?? max_age ?? sex_id);
      return [
        ['services.bookable', bookable?.id, 'has it free slots at two locations?'],
        ['practitioners.bookable', bookable?.practitioner_id || undefined],
        ['services.womenOnly', all.find(({ sex_id }) => sex_id !== null)?.id, 'is it for women?'],
        ['services.childrenOnly', all.find(({ max_age }) => (max_age ?? 99) < 21)?.id],
        ['services.walkIn', all.find((each) => !each.appointment_required && isForAll(each))?.id],
      ];
    },
  ),
  defineList('tickets.types', 'GET /ticket_types', z.array(ticketType), (types) => {
    const toIds = ({ id, fields }: z.infer<typeof ticketType>) => {
      const [file, number, boolean] = ['file', 'number', 'boolean'].map(
        (type) => fields.find((field) => field.type === type)?.id,
      );
      return { id, file, number, boolean };
    };
    return [['typedTicketType', types.map(toIds).find((type) => !Object.values(type).includes(undefined))]];
  }),
  defineList('practitioners.changeReasons', 'GET /practitioner/change_request/reasons', z.array(named), ([first]) => [
    ['changeReason', first?.id],
  ]),
  defineList(
    'directory.locations',
    'GET /location/',
    z.object({ locations: z.array(named) }),
    ({ locations: [first, another] }) => [
      ['locations.first', first?.id, 'is it this one?'],
      ['locations.another', another?.id, 'is it this one?'],
    ],
  ),
];

/** Asks each list once; where the institution does not say what it offers, all of them. */
export async function findFixtures(
  subject: Pick<Subject, 'send'>,
  supports: ReadonlySet<Capability> | undefined,
): Promise<ListAnswers> {
  const findings = new Map<FixtureName, Finding>();
  const answered: Capability[] = [];
  const silent: Route[] = [];
  for (const { capability, route, find } of lists) {
    if (supports && !supports.has(capability)) continue;
    const response = await subject.send({ route }).catch(() => undefined);
    if (response?.status !== 200) {
      silent.push(route);
      continue;
    }
    answered.push(capability);
    for (const [name, value, note] of find(response.body)) {
      if (value !== undefined) findings.set(name, { value, note });
    }
  }
  return { findings, answered, silent };
}
