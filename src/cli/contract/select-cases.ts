import { type Case, cases, gatewayCases, lostRequestCases, portCases, startCases } from '../../contract/index.ts';
import { CannotRun } from './cannot-run.ts';

/** What a pattern is matched against: `*` stands for any text, and case does not matter. */
const toExpression = (pattern: string): RegExp => new RegExp(pattern.split('*').map(RegExp.escape).join('.*'), 'i');

interface Reach {
  /** Whether every case has an institution of its own, so that this can be proved too. */
  readonly forgets: boolean;
  /** Whether something stands before the system that can lose its answers. */
  readonly hasLine: boolean;
  /** Whether an adapter is judged; what the gateway decides is not, then. */
  readonly inProcess: boolean;
}

/**
 * The cases whose id or title has the pattern in it.
 * @throws CannotRun when there are none.
 */
export function selectCases(pattern: string | undefined, { forgets, hasLine, inProcess }: Reach): readonly Case[] {
  const all = [
    ...(forgets ? startCases : []),
    ...cases,
    ...portCases,
    ...(inProcess ? [] : gatewayCases),
    ...(hasLine ? lostRequestCases : []),
  ];
  if (pattern === undefined) return all;
  const expression = toExpression(pattern);
  const selected = all.filter(({ id, title, whenUnsupported }) =>
    [id, title, whenUnsupported?.title ?? ''].some((text) => expression.test(text)),
  );
  if (selected.length === 0) throw new CannotRun(`no id or title of a case has '${pattern}' in it`);
  return selected;
}
