import type { StartUp } from './start-up.ts';
import { formatNumber, formatSummary, type Summary, summarizeDifference, summarizeRatio } from './statistics.ts';
import type { Result, Round } from './variant.ts';

/** All that was measured; what `--only` left out is missing. */
export interface Measurements {
  readonly results: ReadonlyMap<string, readonly Result[]>;
  readonly startUp?: StartUp | undefined;
}

/** A line of the table of goals. */
export interface Goal {
  readonly id: string;
  readonly text: string;
  readonly figure: string;
  /** Undefined when it was not measured. */
  readonly met: boolean | undefined;
}

/** One figure of a goal, and whether it is good enough. */
interface Figure {
  readonly text: string;
  readonly met: boolean;
}

/** What each goal asks for, and what was measured. */
export function assessGoals({ results, startUp }: Measurements): Goal[] {
  const pick = (id: string, name: string, key: keyof Round): number[] | undefined =>
    results
      .get(id)
      ?.find((result) => result.name === name)
      ?.rounds.map((round) => round[key]);
  const compare =
    (summarize: (values: readonly number[], references: readonly number[]) => Summary) =>
    (id: string, key: keyof Round, name: string, reference: string): Summary | undefined => {
      const [values, references] = [pick(id, name, key), pick(id, reference, key)];
      return values && references && summarize(values, references);
    };
  const ratio = compare(summarizeRatio);
  const difference = compare(summarizeDifference);
  const [slots, express] = ['Puente, 1,000 slots', 'Express 5, 1,000 slots'];
  const [fhir, direct] = ['Puente over FHIR', 'backend direct'];
  const [few, many] = ['1,000 patients', '1,000,000 patients'];

  return [
    state('G1', 'bare Express 5 costs at least 0.55 of a read on memory', [
      atLeast(0.55, '', ratio('read', 'cpu', 'Express 5', 'Puente on memory')),
    ]),
    state('G2', 'CPU of a read over FHIR is at most 3.0 of http-proxy-middleware, which keeps its connections', [
      atMost(3, '', ratio('fhir-0', 'cpu', fhir, 'http-proxy-middleware')),
    ]),
    state('G3', '20 ms in the backend: rate at least 0.32 of direct; at 500/s p50 at most +1.0 ms, p99 at most +4 ms', [
      atLeast(0.32, 'rate ', ratio('fhir-20', 'rate', fhir, direct)),
      atMost(1, 'p50 +', difference('fhir-open', 'p50', fhir, direct)),
      atMost(4, 'p99 +', difference('fhir-open', 'p99', fhir, direct)),
    ]),
    state('G4', 'an operation declared last costs at most 1.03 of the same declared first', [
      atMost(1.03, '', ratio('order', 'cpu', 'last but one', 'second')),
    ]),
    state(
      'G5',
      '1,000 slots: at least 0.5 of bare Express, 0.9 of the same unchecked; a page of ten at most 0.2 of them',
      [
        atLeast(0.5, 'of Express ', ratio('slots', 'cpu', express, slots)),
        atLeast(
          0.9,
          'of unchecked ',
          ratio('slots', 'cpu', `${slots}, response unchecked`, `${slots}, composed alike`),
        ),
        atMost(0.2, 'page ', ratio('slots', 'cpu', 'Puente, page of ten of Group B', slots)),
      ],
    ),
    state('G6', 'a JWT that was verified costs at most 1.05 of an opaque token', [
      atMost(1.05, '', ratio('tokens', 'cpu', 'JWT, RS256', 'opaque token')),
    ]),
    state('G7', 'with a million patients a read and a search cost at most 1.1 of what they cost with a thousand', [
      atMost(1.1, 'read ', ratio('growth-read', 'cpu', many, few)),
      atMost(1.1, 'search ', ratio('growth-search', 'cpu', many, few)),
    ]),
    state(
      'G8',
      'a write of two gateways on one PostgreSQL costs at most 1.11 of that of one, which is 1.8 of its rate',
      [atMost(1.11, '', ratio('shared-state', 'cpu', 'two gateways', 'one gateway'))],
    ),
    state(
      'G9',
      'first answer within 0.6 s of `npm start`; 120 MB after half a minute; a cold catalogue of 450 services +100 ms',
      [
        limit(0.6, 's', startUp?.seconds),
        limit(120, 'MB', startUp?.megabytes),
        limit(100, 'ms', startUp?.coldCatalogue),
      ],
    ),
    state('G10', 'a read with an audit trail costs at most 1.10 of one without', [
      atMost(1.1, '', ratio('audit', 'cpu', 'audit trail in SQLite', 'no audit trail')),
    ]),
    state('G11', 'a read with metrics costs at most 1.05 of one without', [
      atMost(1.05, '', ratio('metrics', 'cpu', 'metrics', 'no metrics')),
    ]),
  ];
}

function state(id: string, text: string, figures: readonly (Figure | undefined)[]): Goal {
  const measured = figures.filter((figure) => figure !== undefined);
  if (measured.length < figures.length || measured.length === 0) {
    return { id, text, figure: 'not measured in this run', met: undefined };
  }
  return { id, text, figure: measured.map((figure) => figure.text).join('; '), met: measured.every(({ met }) => met) };
}

const atLeast = (limit: number, prefix: string, summary: Summary | undefined): Figure | undefined =>
  summary && { text: prefix + formatSummary(summary), met: summary.median >= limit };

const atMost = (limit: number, prefix: string, summary: Summary | undefined): Figure | undefined =>
  summary && { text: prefix + formatSummary(summary), met: summary.median <= limit };

const limit = (most: number, unit: string, value: number | undefined): Figure | undefined =>
  value === undefined ? undefined : { text: `${formatNumber(value)} ${unit}`, met: value <= most };
