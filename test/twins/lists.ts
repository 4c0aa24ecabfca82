import type { Route } from '../../src/contract/subject.ts';

interface List {
  /** Where the rows stand in the answer; absent: they are the answer. */
  readonly rows?: string;
  /** The fields by which the API promises an order; rows that are equal in them may come in any order. */
  readonly by: readonly string[];
}

/** The lists whose order the API leaves open, wholly or among equals. */
const lists: Partial<Record<Route, List>> = {
  'GET /patients/search': { rows: 'patients', by: [] },
  'GET /ticket_types': { by: [] },
  'GET /patients/{id}/ticket/': { by: ['createdAt'] },
  'GET /patients/{id}/appointments': { rows: 'appointments', by: ['date'] },
  'GET /health_insurance_carriers/': { rows: 'health_insurance_carriers', by: [] },
  'GET /health_insurance_carriers/{id}/health_insurance_plans/': { rows: 'health_insurance_plans', by: [] },
  'GET /patients/{id}/health_insurances': { rows: 'health_insurances', by: [] },
  'GET /patients/{id}/family_group': { rows: 'family_group', by: [] },
  'GET /available-appointments/search': { rows: 'appointments', by: ['date'] },
  'GET /practitioner/': { rows: 'practitioner', by: [] },
  'GET /location/': { rows: 'locations', by: [] },
  'GET /v1/appointments': { rows: 'data', by: ['appointmentDate', 'appointmentStart'] },
  'POST /v1/available-slots': { rows: 'data', by: ['appointmentDate', 'appointmentStart'] },
};

type Row = Readonly<Record<string, unknown>>;

/** The answer with the rows that may come in any order in one and the same order. */
export function sortTies(route: Route, body: unknown, mask: (value: unknown) => unknown): unknown {
  const list = lists[route];
  if (!list) return body;
  const { rows, by } = list;
  const sort = (all: readonly Row[]) =>
    all
      .reduce<Row[][]>((groups, row) => {
        const last = groups.at(-1);
        if (last?.[0] && by.every((field) => last[0]?.[field] === row[field])) last.push(row);
        else groups.push([row]);
        return groups;
      }, [])
      .flatMap((group) => group.map((row) => [JSON.stringify(mask(row)), row] as const).toSorted(compareKeys))
      .map(([, row]) => row);
  if (rows === undefined) return sort(body as readonly Row[]);
  const whole = body as Readonly<Record<string, readonly Row[]>>;
  return { ...whole, [rows]: sort(whole[rows] ?? []) };
}

const compareKeys = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : a > b ? 1 : 0;
