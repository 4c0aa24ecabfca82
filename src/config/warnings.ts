import { X509Certificate } from 'node:crypto';
import { computeAbortMs } from '../guard/deadline.ts';
import type { Finding } from '../ports/index.ts';
import { isRecord } from '../toolkit/records.ts';
import { explainPlainAddress } from '../toolkit/secret.ts';
import { readRegularFile } from '../toolkit/settings-file.ts';
import { type Environment, getValue, isMarked, type Key } from './keys.ts';
import type { Config } from './schema.ts';

/** The line for a setting. It begins with the place where the setting was set. */
export type FormatProblem = (path: readonly PropertyKey[], what: string) => string;

/** The length below which a token may be guessed: 16 random characters of base64 are 96 bits. */
const GUESSABLE = 16;

export const listTokenWarnings = ({ PUENTE_TOKEN: token }: Environment): string[] =>
  token && token.length < GUESSABLE
    ? [`PUENTE_TOKEN: is shorter than ${GUESSABLE} characters: use a longer one, because it grants all scopes`]
    : [];

export function listWarnings(config: Config, keys: readonly Key[], format: FormatProblem): string[] {
  const { auth } = config;
  const expired = auth.tokens.flatMap(({ client, expires }, i) =>
    expires !== undefined && Date.parse(expires) <= Date.now()
      ? [format(['auth', 'tokens', i, 'expires'], `is in the past: the token of ${client} is rejected`)]
      : [],
  );
  const open = auth.groupA === 'none' ? [format(['auth', 'groupA'], 'Group A accepts requests without a token')] : [];
  const used = Object.values(config.ports).map(({ adapter }) => adapter);
  const unused = Object.keys(config.adapters)
    .filter((key) => !used.includes(key))
    .map((key) => format(['adapters', key], 'is not started, because no port in ports names it'));
  return [
    ...open,
    ...expired,
    ...unused,
    ...listExamples(config, keys, format),
    ...listLateTimeouts(config, keys, format),
    ...listHastyDeadlines(config, format),
    ...listTrustedByMany(config, format),
    ...listBehindProxy(config, format),
    ...listPlainAddresses(config, keys, format),
    ...listRecordsOfOneGateway(config, used, format),
  ];
}

/** Hosts of examples, which are reserved (RFC 2606, section 3). */
const exampleHost = /\/\/([\w-]+\.)*example\.(com|net|org)(?=[:/,]|$)/;

const listExamples = (config: Config, keys: readonly Key[], format: FormatProblem): string[] =>
  keys
    .filter(({ path }) => exampleHost.test(String(getValue(config, path))))
    .map(({ path }) => format(path, 'still has the example’s value: replace it'));

/**
 * The adapter's timeouts that exceed a deadline: the deadline would stop the request before the backend's outcome is
 * known.
 */
function listLateTimeouts(config: Config, keys: readonly Key[], format: FormatProblem): string[] {
  const first = listDeadlines(config).reduce((one, other) => (other.deadline < one.deadline ? other : one));
  const limit = computeAbortMs(first.deadline);
  return keys
    .filter((key) => isMarked(key, 'timeout') && Number(getValue(config, key.path)) >= limit)
    .map(({ path }) => format(path, `does not end before ${first.path.join('.')}: set it below ${limit}`));
}

/** Milliseconds that are too short for most systems: the author may have written seconds. */
const HASTY = 100;

const listHastyDeadlines = (config: Config, format: FormatProblem): string[] =>
  listDeadlines(config)
    .filter(({ deadline }) => deadline < HASTY)
    .map(({ path, deadline }) =>
      format(
        path,
        `is ${deadline} milliseconds, too short for most systems: did you mean ${deadline}000 (${deadline} s)?`,
      ),
    );

const listDeadlines = ({ http, guard }: Config) => [
  { path: ['http', 'readDeadline'], deadline: http.readDeadline },
  { path: ['http', 'writeDeadline'], deadline: http.writeDeadline },
  ...Object.entries(guard.operations).flatMap(([operation, { deadline }]) =>
    deadline === undefined ? [] : [{ path: ['guard', 'operations', operation, 'deadline'], deadline }],
  ),
];

/** Milliseconds for which the proxies of examples/deploy, and most others, keep an idle connection. */
const PROXY_KEEP_ALIVE = 60_000;

/** Milliseconds until the proxies of examples/deploy notice a stop: three probes, one per second. */
const PROBES = 3_000;

/** Reports settings that lose requests behind a trusted proxy, or with a database that several gateways share. */
function listBehindProxy({ http, shutdown, state }: Config, format: FormatProblem): string[] {
  const behindProxy = http.trustedProxies.length > 0;
  return [
    ...(behindProxy && http.keepAliveTimeout <= PROXY_KEEP_ALIVE
      ? [
          format(
            ['http', 'keepAliveTimeout'],
            `is not above the proxy’s idle timeout (${PROXY_KEEP_ALIVE} in examples/deploy), so a request may meet a closing connection: raise it`,
          ),
        ]
      : []),
    ...((behindProxy || state.kind === 'postgres' || shutdown.drainDelay > 0) && shutdown.drainDelay < PROBES
      ? [
          format(
            ['shutdown', 'drainDelay'],
            `is ${shutdown.drainDelay} milliseconds, so a load balancer still sends requests after the stop (examples/deploy needs three probes of a second): set 5000`,
          ),
        ]
      : []),
  ];
}

/** The prefix length below which a subnet is too large for proxies: 10.0.0.0/8 is the largest private one. */
const NARROW = 8;

const listTrustedByMany = ({ http }: Config, format: FormatProblem): string[] =>
  http.trustedProxies.flatMap((subnet, i) =>
    Number(subnet.split('/')[1] ?? NARROW) < NARROW
      ? [
          format(
            ['http', 'trustedProxies', i],
            'trusts the X-Forwarded-For of a whole network, so clients can choose their address: list only the proxies',
          ),
        ]
      : [],
  );

/** Addresses whose traffic is not encrypted. */
function listPlainAddresses(config: Config, keys: readonly Key[], format: FormatProblem): string[] {
  return keys
    .filter((key) => isMarked(key, 'address'))
    .flatMap(({ path }) => listAddresses(getValue(config, path), path))
    .flatMap(({ path, address }) => {
      const problem = explainPlainAddress(address);
      return problem === undefined ? [] : [format(path, problem)];
    });
}

/** The address of a key, the addresses of a list, or the address of a login. */
function listAddresses(
  value: unknown,
  path: readonly PropertyKey[],
): { path: readonly PropertyKey[]; address: string }[] {
  if (typeof value === 'string') return [{ path, address: value }];
  if (Array.isArray(value)) return value.flatMap((each, i) => listAddresses(each, [...path, i]));
  return isRecord(value) ? listAddresses(value.tokenUrl, [...path, 'tokenUrl']) : [];
}

/** Adapters whose records other gateways cannot see, although gateways with a shared state must serve the same ones. */
function listRecordsOfOneGateway(config: Config, used: readonly string[], format: FormatProblem): string[] {
  if (config.state.kind !== 'postgres') return [];
  const entries = [
    { path: ['adapter'], entry: config.adapter },
    ...used.map((key) => ({ path: ['adapters', key], entry: config.adapters[key] })),
  ];
  return entries.flatMap(({ path, entry }) => {
    if (entry?.module !== undefined) return [];
    if (entry?.name === 'memory') {
      return [format([...path, 'name'], `memory ${ownRecords}: choose an adapter with shared records`)];
    }
    const isFile = entry?.name === 'local' && getValue(entry.settings, ['kind']) === 'sqlite';
    return isFile ? [format([...path, 'settings', 'kind'], `sqlite ${ownRecords}: set it to postgres`)] : [];
  });
}

const ownRecords = 'stores the records of this gateway only, while state.kind postgres is for several gateways';

const DAY_MS = 86_400_000;
/** The number of days before its end from which a warning reports a certificate. */
const RENEWAL_DAYS = 30;
const pemPattern = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * A finding about the first certificate of a file to expire, if it has expired or will within a month.
 * @param end the result of an earlier `findFirstEnd`.
 */
export function examineCertificates(file: string, end = findFirstEnd(file)): Omit<Finding, 'check'> | undefined {
  const days = Math.floor((end - Date.now()) / DAY_MS);
  if (!(days < RENEWAL_DAYS)) return undefined;
  const ended = end <= Date.now();
  const day = new Date(end).toISOString().slice(0, 10);
  return {
    ok: ended ? false : null,
    detail: `a certificate in ${file} ${ended ? `ended on ${day}` : `ends on ${day}, in ${days} days`}`,
    fix: 'renew it, or remove it if another one in the file takes its place',
  };
}

/** The time at which the first certificate of the file expires, in milliseconds since 1970. Infinite if there is none. */
export const findFirstEnd = (file: string): number => Math.min(...readEnds(file));

/** The expiry times, in milliseconds since 1970. The user of a file reports that it cannot be read. */
function readEnds(file: string): number[] {
  try {
    const found = readRegularFile(file).toString().match(pemPattern) ?? [];
    return found.map((pem) => Date.parse(new X509Certificate(pem).validTo));
  } catch {
    return [];
  }
}
