import { formatOutcome } from './outcome.ts';
import type { Plan } from './run-sequences.ts';
import type { Exchange } from './twin.ts';

/** The sequence as a list, what both said where they agree, and at the end what either said. */
export function formatFailure(exchanges: readonly Exchange[], { seed, runs, length }: Plan, scene: string): string {
  const last = exchanges.at(-1);
  const lines = exchanges.map(
    (exchange, index) =>
      `${String(index + 1).padStart(3)}. ${exchange.at}  ${formatRequest(exchange)}${formatAnswers(exchange)}`,
  );
  const differences = last?.differences ?? [];
  const shown = differences
    .slice(0, MOST)
    .flatMap(({ at, memory, fhir }) => [
      `  ${at}`,
      `    memory: ${formatValue(memory)}`,
      `    fhir:   ${formatValue(fhir)}`,
    ]);
  const more = differences.length > MOST ? [`  and ${differences.length - MOST} more`] : [];
  return [
    `The two adapters disagree ${scene}.`,
    `Once more: TWINS_SEED=${seed} TWINS_RUNS=${runs} TWINS_LENGTH=${length} npm run test:twins`,
    '',
    ...lines,
    '',
    ...shown,
    ...more,
  ].join('\n');
}

/** More of them help nobody. */
const MOST = 12;

const formatValue = (value: unknown): string => (value === undefined ? '-' : JSON.stringify(value));

function formatRequest({ request: { route, params = {}, query, body, key }, memory }: Exchange): string {
  const path = route.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
  return [
    memory.length > 1 ? `${memory.length} at once: ` : '',
    path,
    query
      ? `?${Object.entries(query)
          .map((pair) => pair.join('='))
          .join('&')}`
      : '',
    body === undefined ? '' : ` ${JSON.stringify(body)}`,
    key === undefined ? '' : ` under the key ${key}`,
  ].join('');
}

/** Side by side where they differ. */
function formatAnswers({ memory, fhir, differences }: Exchange): string {
  const [one, other] = [memory, fhir].map((outcomes) => outcomes.map(formatOutcome).join(', '));
  if (differences.length === 0) return `  ->  ${one}`;
  return one === other ? `  ->  ${one}, with other contents` : `  ->  memory ${one}  |  fhir ${other}`;
}

/** How often each operation was answered how, as a table. */
export function formatDistribution(exchanges: readonly Exchange[], { seed, runs }: Plan): string {
  const counts = new Map<string, number>();
  for (const { request, memory } of exchanges) {
    for (const outcome of memory) {
      const { status, code = '' } = outcome;
      const key = `${request.route.padEnd(68)} ${status} ${code}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  const rows = [...counts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, count]) => `${String(count).padStart(6)}  ${key}`);
  return [`Seed ${seed}: ${runs} sequences, ${exchanges.length} requests`, ...rows].join('\n');
}
