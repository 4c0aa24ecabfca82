import type { Exchange } from './session.ts';
import { type Template, Variable } from './variable.ts';

/**
 * The exchanges as lines of a shell with curl and jq, which expect `$PUENTE_URL` and `$PUENTE_CONTRACT_TOKEN`. Without those
 * that only looked and on which nothing later stands, but for the last.
 */
export function formatSequence(exchanges: readonly Exchange[]): string[] {
  const kept: Exchange[] = [];
  const used = new Set<string>();
  for (const exchange of exchanges.toReversed()) {
    const isNeeded = kept.length === 0 || exchange.captures.some(({ variable }) => used.has(variable.name));
    if (!isNeeded && exchange.requests.every(isReading)) continue;
    kept.unshift(exchange);
    for (const { name, expression = '' } of exchange.requests.flatMap(listVariables)) {
      used.add(name);
      for (const [, other = ''] of expression.matchAll(/\$(\w+)/g)) used.add(other);
    }
  }
  const assigned = new Set<string>();
  return kept.flatMap((exchange) => formatExchange(exchange, used, assigned));
}

const isReading = ({ route }: Template): boolean => route.startsWith('GET ') || route.endsWith('/available-slots');

const listVariables = ({ params, query, body }: Template): Variable<string | number>[] =>
  [params, query, body].flatMap(collectVariables);

function collectVariables(value: unknown): Variable<string | number>[] {
  if (value instanceof Variable) return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(collectVariables) : [];
}

function formatExchange({ requests, outcomes, captures }: Exchange, used: Set<string>, assigned: Set<string>) {
  const invented = requests
    .flatMap(listVariables)
    .filter(({ name, expression }) => expression !== undefined && !assigned.has(name))
    .map(({ name, expression }) => {
      assigned.add(name);
      return `${name}=${expression}`;
    });
  if (requests.length > 1) {
    const lines = requests.map((request) => `${formatCurl(request)} &`);
    return [...new Set(invented), ...lines, `wait   # ${outcomes.toSorted().join(', ')}`];
  }
  const wanted = captures.filter(({ variable }) => used.has(variable.name));
  const [request] = requests;
  const line = request
    ? formatCurl(request, wanted.some(({ from }) => from === 'location') ? 'curl -sSi' : undefined)
    : '';
  if (wanted.length === 0) return [...invented, `${line}   # ${outcomes[0]}`];
  return [
    ...invented,
    `ANSWER=$(${line})   # ${outcomes[0]}`,
    ...wanted.map(({ variable, from }) => `${variable.name}=$(${formatExtraction(from)} <<<"$ANSWER")`),
  ];
}

const formatExtraction = (from: string): string =>
  from === 'location' ? String.raw`sed -n 's|^[Ll]ocation: .*/\([^[:space:]]*\).*|\1|p'` : `jq -r '${from}'`;

function formatCurl({ route, params = {}, query = {}, body }: Template, command = 'curl -sS'): string {
  const [method = '', path = ''] = route.split(' ');
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => formatText(params[name] ?? ''));
  const search = Object.entries(query).map(([name, value]) => `${name}=${formatText(value)}`);
  return [
    command,
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    `"$PUENTE_URL${filled}${search.length > 0 ? '?' : ''}${search.join('&')}"`,
    '-H "Authorization: Bearer $PUENTE_CONTRACT_TOKEN"',
    ...(body ? ["-H 'Content-Type: application/json'", `-d '${formatBody(body)}'`] : []),
  ].join(' ');
}

const formatText = (value: string | Variable<string | number>): string =>
  typeof value === 'string' ? encodeURIComponent(value) : `$${'{'}${value.name}}`;

/** JSON between single quotes, which are left for each variable. */
function formatBody(value: unknown): string {
  if (value instanceof Variable) {
    const spliced = `'"$${value.name}"'`;
    return typeof value.value === 'number' ? spliced : `"${spliced}"`;
  }
  if (Array.isArray(value)) return `[${value.map(formatBody).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value).replaceAll("'", "'\\''");
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([name, field]) => `"${name}":${formatBody(field)}`).join(',')}}`;
}
