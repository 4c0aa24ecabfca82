import type { Capability } from '../ports/index.ts';
import { didYouMean, explainIssue } from '../toolkit/problems.ts';
import { getField, getFields } from '../toolkit/records.ts';
import type { Case, Level } from './case.ts';
import { describedFixtures, type FixtureName, institutionSchema } from './fixtures.ts';
import { buildSlotSearch, ofPatient } from './queries.ts';
import { planCase } from './run.ts';
import { listMissing, promisedFixtures, type Request, type Response, type Route, type Subject } from './subject.ts';

/** Problems of fixtures, by name: the institution's response, and what to do. */
export type WrongFixtures = ReadonlyMap<string, string>;

/**
 * Compares the fixtures that these cases use with their schema and with the institution's data, e.g. ids without a
 * record or services without a free slot. It only reads. Only a success or a 404 can prove a fixture wrong: the cases
 * judge other responses.
 */
export async function findWrongFixtures(
  subject: Subject,
  cases: readonly Case[],
  level?: Level,
): Promise<WrongFixtures> {
  const used: ReadonlySet<string> = listUsed(subject, cases, level);
  // A name that no case uses may be misspelled, so it counts as used.
  const isUsed = (name: string) => used.has(name) || !(describedFixtures as ReadonlyMap<string, unknown>).has(name);
  const wrong = new Map(listMisformed(subject).filter(([name]) => isUsed(name)));
  const answers = new Map<string, Response>();
  for (const { name, needs, request, problem, holds } of listLooks(subject)) {
    if (!used.has(name) || wrong.has(name) || !subject.supports(needs)) continue;
    const key = JSON.stringify(request);
    const answer = answers.get(key) ?? (await subject.send(request).catch(() => undefined));
    // The system is slow or unreachable. The first case will report this.
    if (!answer || [502, 503, 504].includes(answer.status)) break;
    answers.set(key, answer);
    if ([200, 404].includes(answer.status) && !holds(answer)) wrong.set(name, `${request.route} ${problem}`);
  }
  return wrong;
}

/** The fixtures that the cases can use on this subject. */
function listUsed(subject: Subject, cases: readonly Case[], level?: Level): ReadonlySet<FixtureName> {
  const run = cases.filter((each) => planCase(each, subject, level).skipped === undefined);
  const ofAll: readonly FixtureName[] = subject.supports('patients.register') ? [] : ['patients.spare'];
  return new Set(
    run.flatMap(({ needs, requires, fixtures }) => [
      ...ofAll,
      ...fixtures,
      ...[needs, ...requires].flatMap((capability) => promisedFixtures[capability]),
    ]),
  );
}

/** Names that are not fixtures, and values that do not match the schema. */
function listMisformed({ fixtures }: Subject): [string, string][] {
  // The copy leaves out undefined values.
  const { error } = institutionSchema.safeParse(JSON.parse(JSON.stringify(fixtures)), { error: explainIssue });
  return (error?.issues ?? []).flatMap((issue): [string, string][] => {
    const path = issue.path.map(String);
    if (issue.code !== 'unrecognized_keys') return [[path.slice(0, 2).join('.'), issue.message]];
    return issue.keys.map((key) => {
      const name = [...path, key].join('.');
      return [name, `there is no such fixture${didYouMean(name, [...describedFixtures.keys()])}`];
    });
  });
}

/** The advice for a record that the institution lacks. */
const eitherWrong = 'correct the id or the adapter';

/** A read that shows whether the institution has a fixture. */
interface Look {
  readonly name: FixtureName;
  readonly needs: Capability;
  readonly request: Request;
  /** The text after the route. */
  readonly problem: string;
  /** True if the response, a success or a 404, has the record that the fixture names. */
  readonly holds: (answer: Response) => boolean;
}

/** Fixtures whose ids an operation lists. */
interface ListedFixtures {
  readonly needs: Capability;
  readonly route: Route;
  /** The fixture whose id is in the path. */
  readonly of?: FixtureName;
  readonly names: readonly FixtureName[];
}

const patients: readonly FixtureName[] = [
  'patients.complete',
  'patients.bare',
  'patients.child',
  'patients.passportHolder',
  'patients.payer',
  'patients.spare',
  'patients.closed',
  'patients.lateTicket',
];
const withSlots: readonly FixtureName[] = [
  'services.bookable',
  'services.second',
  'services.virtual',
  'services.womenOnly',
  'services.childrenOnly',
  'services.restricted',
];
const locations: readonly FixtureName[] = ['locations.first', 'locations.another'];
const coverages = { needs: 'insurance.coverages', route: 'GET /patients/{id}/health_insurances' } as const;

const listed: readonly ListedFixtures[] = [
  {
    needs: 'practitioners.list',
    route: 'GET /practitioner/',
    names: ['practitioners.bookable', 'practitioners.second'],
  },
  { needs: 'directory.locations', route: 'GET /location/', names: locations },
  {
    needs: 'care-services.available',
    route: 'GET /health-care-services/search',
    names: [...withSlots, 'services.walkIn'],
  },
  { needs: 'tickets.types', route: 'GET /ticket_types', names: ['ticketType', 'typedTicketType'] },
  { needs: 'practitioners.changeReasons', route: 'GET /practitioner/change_request/reasons', names: ['changeReason'] },
  {
    needs: 'insurance.carriers',
    route: 'GET /health_insurance_carriers/',
    names: ['carriers.withPlans', 'carriers.withoutPlans'],
  },
  {
    needs: 'insurance.plans',
    route: 'GET /health_insurance_carriers/{id}/health_insurance_plans/',
    of: 'carriers.withPlans',
    names: ['plans.accepted'],
  },
  { ...coverages, of: 'patients.complete', names: ['coverages.active', 'coverages.inactive'] },
  { ...coverages, of: 'patients.bare', names: ['coverages.ofBare'] },
  { ...coverages, of: 'patients.child', names: ['coverages.ofChild'] },
  {
    needs: 'appointments.list',
    route: 'GET /patients/{id}/appointments',
    of: 'patients.complete',
    names: ['appointments.attended'],
  },
];

/** The lookups of all named fixtures. */
function* listLooks(subject: Subject): Generator<Look> {
  /** The ids that a fixture names: none, one or several. */
  const getIds = (name: FixtureName): readonly string[] => {
    if (listMissing(subject.fixtures, [name]).length > 0) return [];
    const value = name.split('.').reduce<unknown>((whole, key) => getField(whole, key), subject.fixtures);
    return [value].flat().map((each) => String(getField(each, 'id') ?? each));
  };
  for (const name of patients) {
    for (const id of getIds(name)) {
      const request = ofPatient('GET /patients/{id}', id);
      const holds = ({ status }: Response) => status === 200;
      yield { name, needs: 'patients.get', request, problem: `answers 404: ${eitherWrong}`, holds };
    }
  }
  for (const { needs, route, of, names } of listed) {
    const [owner] = of === undefined ? [''] : getIds(of);
    if (owner === undefined) continue;
    const request: Request = of === undefined ? { route } : { route, params: { id: owner } };
    for (const name of names) {
      for (const id of getIds(name)) {
        const holds = (answer: Response) => findList(answer)?.some((each) => getField(each, 'id') === id) ?? true;
        yield { name, needs, request, problem: `lists no such id${of ? ` for ${of}` : ''}: ${eitherWrong}`, holds };
      }
    }
  }
  const { dateFrom, dateTo } = buildSlotSearch(subject, '').dateConfig;
  const lookForSlot = (name: FixtureName, hcsId: string, at?: string): Look => ({
    name,
    needs: 'appointments.slots',
    request: {
      route: 'POST /v1/available-slots',
      query: { limit: '1' },
      body: { ...buildSlotSearch(subject, hcsId), ...(at !== undefined && { locationId: at }) },
    },
    problem: `has no free slot${at === undefined ? '' : ' of services.bookable'} there from ${dateFrom} to ${dateTo}: name another one, or offer slots`,
    holds: (answer) => findList(answer)?.length !== 0,
  });
  for (const name of withSlots) for (const id of getIds(name)) yield lookForSlot(name, id);
  const [bookable] = getIds('services.bookable');
  if (bookable === undefined) return;
  for (const name of locations) for (const id of getIds(name)) yield lookForSlot(name, bookable, id);
}

/** The first list of a response. Undefined if it has none. */
const findList = ({ status, body }: Response): readonly unknown[] | undefined =>
  status === 200 ? [body, ...Object.values(getFields(body))].find((each) => Array.isArray(each)) : undefined;
