import { isOffered, type Operation } from '../../api/index.ts';
import { isProblemCode, problems as knownProblems } from '../../api/problems.ts';
import type { Forwarder } from '../../audit/forward.ts';
import type { AuditWriter } from '../../audit/writer.ts';
import type { Guard } from '../../guard/guard.ts';
import type { AdapterImpairment, Capability, Finding } from '../../ports/index.ts';
import { escapeHtml, renderPage, renderProse } from '../../toolkit/html.ts';
import { buildVersion } from '../../toolkit/package.ts';
import type { ServedRequest } from '../../toolkit/telemetry.ts';
import type { ClientLimits } from '../limits.ts';
import { type CountedRequests, RECENT_MINUTES, type RecentRequests } from './recent-requests.ts';

/** A gateway as its operator sees it. */
export interface OperatedGateway {
  readonly institution: { readonly name?: string | undefined; readonly timeZone: string };
  /** The configuration file. */
  readonly file: string;
  readonly warnings: () => readonly string[];
  /** The state of each adapter, after its name and a colon. */
  readonly notes: readonly string[];
  readonly operations: readonly Operation[];
  readonly supports: ReadonlySet<Capability>;
  readonly findOwner: (capability: Capability) => string;
  /** Why owners do not offer methods, such as the missing parts of a mapping file. */
  readonly reasons: ReadonlyMap<Capability, string>;
  readonly impairments: () => readonly AdapterImpairment[];
  readonly drain: { readonly started: boolean };
  readonly guard: Pick<Guard, 'occupancies'>;
  readonly recent: Pick<RecentRequests, 'list' | 'listFailures'>;
  readonly clientLimits: Pick<ClientLimits, 'listRemaining'>;
  /** Undefined where no trail is kept. */
  readonly audit: Trail | undefined;
  /** The findings of `puente doctor`, which the signal ends. */
  readonly examine: (signal: AbortSignal) => Promise<readonly DoctorCheck[]>;
}

interface Trail {
  readonly chain: string;
  readonly writer: Pick<AuditWriter, 'written' | 'waiting' | 'lost' | 'gaps' | 'lastGap' | 'failure'>;
  readonly forwarders: readonly Pick<Forwarder, 'name'>[];
}

type FormatTime = (at: number) => string;

const code = (text = ''): string => `<code>${escapeHtml(text)}</code>`;
const wrong = (text: string): string => `<span class="wrong">✖ ${escapeHtml(text)}</span>`;
/** Problems in the first lines. */
const MAX_FIRST = 5;
/** Problems and clients in their tables. The limits of each client may be asked of the database. */
const MAX_ROWS = 20;

const join = (parts: readonly string[], otherwise: string): string => parts.join('<br>') || otherwise;

/** @param rows cells of HTML. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '<p class="absent">None.</p>';
  const body = rows.map((cells) => cells.map((cell, i) => `<td data-head="${heads[i]}">${cell}</td>`).join(''));
  return `<table>
        <thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead>
        <tbody>${body.map((row) => `\n          <tr>${row}</tr>`).join('')}
        </tbody>
      </table>`;
}

const facts = (pairs: readonly (readonly [string, string])[]): string =>
  `<dl>${pairs.map(([name, value]) => `\n        <dt>${name}</dt><dd>${value}</dd>`).join('')}</dl>`;

/** The page of a gateway at this moment; it names no patient. */
export async function renderGateway(gateway: OperatedGateway): Promise<string> {
  const { institution, notes, warnings, impairments, drain, guard, recent, audit } = gateway;
  const { timeZone, name = 'Gateway' } = institution;
  const { format: time } = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const impaired = impairments().map(({ adapter, code: what, detail }) => [
    escapeHtml(adapter === undefined ? what : `${adapter}: ${what}`),
    escapeHtml(detail),
  ]);
  const busy = guard.occupancies.filter(({ running, queued }) => running + queued > 0);
  const calls = busy.map(({ kind: { adapter, operation, port, ...kind }, running, queued }) =>
    [adapter, operation ?? `${port} ${kind.class}`, String(running), String(queued)].map(escapeHtml),
  );
  const failures = recent.listFailures().map(({ at, adapter = '', requestId, ...request }) => {
    return [time(at), escapeHtml(adapter), `${request.status} ${escapeHtml(nameProblem(request))}`, code(requestId)];
  });
  const summary = impaired.length === 0 ? '✔ In service, not impaired' : wrong(`Impairments: ${impaired.length}`);
  const main = `
      <h1>${escapeHtml(name)}</h1>
      <p>${drain.started ? wrong('Shutting down') : summary} <span class="absent">at ${time(Date.now())}, ${timeZone}</span></p>
      ${facts(listAnswers(gateway, time))}
      <h2>Impairments</h2>
      ${table(['Code', 'What to do'], impaired)}
      <h2 id="refused">Refused requests, last ${RECENT_MINUTES} minutes</h2>
      ${renderRefused(gateway, time)}
      <h2 id="callers">Callers, last ${RECENT_MINUTES} minutes</h2>
      ${await renderCallers(gateway)}
      <h2>Calls of the adapters</h2>
      ${table(['Adapter', 'Calls', 'In flight', 'Waiting'], calls)}
      <h2 id="failures">Last failures of each adapter</h2>
      ${table(['Time', 'Adapter', 'Problem', 'Request'], failures)}
      <h2 id="runs">What runs</h2>
      ${facts([
        ['Version', code(buildVersion)],
        ['Up since', time(Date.now() - process.uptime() * 1_000)],
        ['Configuration', code(gateway.file)],
        ['Warnings', join([...warnings().map(wrong), ...notes.map(renderProse)], 'none')],
        ...(audit ? listTrail(audit, time) : []),
      ])}
      <h2 id="operations">Operations</h2>
      ${renderOperations(gateway)}`;
  return renderOperatorPage(`Puente: ${name}`, main);
}

/** The answers to an operator's first questions, each as a link to its section. */
function listAnswers({ recent, operations, supports, audit }: OperatedGateway, time: FormatTime): [string, string][] {
  const link = (section: string, text: string): string => `<a href="#${section}">${text}</a>`;
  const requests = recent.list();
  const failing = groupProblems(requests).filter(({ type }) => type && type.status >= 500 && type.status !== 501);
  const line = (what: string, count: number, last: number) => `${what} × ${count}, last at ${time(last)}`;
  const failures = failing.map(({ what, all, last }) => line(what, sum(all), last));
  const limited = requests.filter((each) => each.code === 'rate_limited');
  const clients = limited.map(({ client, count, last, ...each }) =>
    line(`${client || NO_TOKEN}: ${nameProblem(each)}`, count, last),
  );
  const absent = operations.filter((operation) => !isOffered(operation, supports)).length;
  const whole = '✔ no gap since the start; <em>Run doctor</em> verifies the stored records';
  return [
    ['Failing', link('refused', listFirst(failures))],
    ['Limited clients', link('callers', listFirst(clients))],
    ['Not offered', link('operations', absent === 0 ? '✔ none' : `${absent} of ${operations.length} operations`)],
    ['Audit trail', link('runs', audit ? join(listFaults(audit, time).map(wrong), whole) : 'none is kept')],
  ];
}

function listFirst(lines: readonly string[]): string {
  const more = lines.length > MAX_FIRST ? [`and ${lines.length - MAX_FIRST} more`] : [];
  return join([...lines.slice(0, MAX_FIRST).map(wrong), ...more], '✔ none');
}

const sum = (all: readonly CountedRequests[]): number => all.reduce((total, { count }) => total + count, 0);

/** The operation with its problem and cause. */
const nameProblem = ({
  operation = '',
  code: problem,
  cause,
}: Pick<ServedRequest, 'operation' | 'code' | 'cause'>): string =>
  `${operation} ${problem}${cause === undefined ? '' : ` (${cause})`}`;

/** The problems of all clients; the one that occurred last comes first. */
function groupProblems(requests: readonly CountedRequests[]) {
  const refused = requests.filter((each) => each.code !== undefined);
  return [...Map.groupBy(refused, nameProblem)].map(([what, all]) => {
    const { code: problem = '', last } = all[0]!;
    return { what, all, last, type: isProblemCode(problem) ? knownProblems[problem] : undefined };
  });
}

function renderRefused({ recent }: OperatedGateway, time: FormatTime): string {
  const rows = groupProblems(recent.list()).map(({ what, all, last, type }) => [
    time(last),
    `${type?.status ?? ''} ${escapeHtml(what)}`,
    all.map(({ client, count }) => `${nameClient(client)} × ${count}`).join('<br>'),
    escapeHtml(type?.happened ?? ''),
  ]);
  return table(['Last', 'Problem', 'Clients', 'What happened'], rows.slice(0, MAX_ROWS));
}

const NO_TOKEN = 'without a valid token';
const nameClient = (name: string): string => (name === '' ? NO_TOKEN : code(name));

async function renderCallers({ recent, clientLimits }: OperatedGateway): Promise<string> {
  const clients = [...Map.groupBy(recent.list(), ({ client }) => client)];
  const busiest = clients.toSorted(([, a], [, b]) => sum(b) - sum(a)).slice(0, MAX_ROWS);
  const rows = busiest.map(async ([name, all]) => {
    const [key, ...others] = new Set(all.flatMap(({ limitKeys }) => limitKeys));
    const limits = key === undefined || others.length > 0 ? [] : await clientLimits.listRemaining(key);
    const used = limits.filter(({ remaining, requests }) => remaining < requests);
    const left = used.map((each) => `${each.name} ${each.remaining} of ${each.requests}`);
    if (others.length > 0) left.push('several clients, each with its own limits');
    const refused = sum(all.filter((each) => each.code !== undefined));
    return [nameClient(name), String(sum(all)), String(refused), left.join('<br>')];
  });
  return table(['Client', 'Requests', 'Refused', 'Left of its limits'], await Promise.all(rows));
}

const gapReasons: Readonly<Record<string, string>> = {
  not_ended: 'the process before this one was killed: its last records may be missing',
  too_many_waiting: 'records were lost while the trail could not be written',
};

/** Why the trail is not whole. */
function listFaults({ writer: { lost, gaps, lastGap, failure } }: Trail, time: FormatTime): string[] {
  const all = [gaps === 1 ? '1 gap' : `${gaps} gaps`, ...(lost > 0 ? [`${lost} records lost`] : [])].join(', ');
  const why = lastGap ? `; the last at ${time(lastGap.at)}: ${gapReasons[lastGap.reason] ?? lastGap.reason}` : '';
  return [
    ...(failure === undefined ? [] : [`cannot be written: ${failure}`]),
    ...(gaps + lost === 0 ? [] : [`${all} since the start${why}`]),
  ];
}

function listTrail({ chain, writer: { written, waiting }, forwarders }: Trail, time: FormatTime): [string, string][] {
  const head = written ? `record ${written.seq} at ${time(written.lastAt)}` : 'nothing by this process yet';
  return [
    ['Head of the audit trail', `${head}, in ${code(chain)}`],
    ['Audit records not written yet', String(waiting)],
    ['Audit records forwarded to', forwarders.map(({ name }) => name).join(', ') || 'nowhere'],
  ];
}

/** First the operations that are not offered. */
function renderOperations({ operations, supports, findOwner, reasons }: OperatedGateway): string {
  const rows = operations.map((operation) => {
    const lacking = operation.uses.filter((capability) => !supports.has(capability));
    const why = lacking.map((each) => explainAbsence(each, findOwner(each), reasons.get(each))).join('; ');
    const owner = escapeHtml(findOwner(operation.uses[0]));
    return [escapeHtml(operation.name), lacking.length > 0 ? '501' : owner, why];
  });
  const sorted = rows.toSorted(([, , a = ''], [, , b = '']) => Number(a === '') - Number(b === ''));
  return `${table(['Operation', 'Offered by', 'Why not'], sorted)}
      <p class="absent">To offer an operation, add the section to the mapping file or the method to the adapter, or give the port to another adapter under <code>ports</code> in the configuration.</p>`;
}

const explainAbsence = (capability: Capability, owner: string, reason: string | undefined): string =>
  reason === undefined ? `${escapeHtml(owner)} has no ${code(capability)}` : renderProse(reason);

/** One thing that `puente doctor` has looked at: the gateway, or an adapter. */
export interface DoctorCheck extends Omit<Finding, 'fix'> {
  readonly section: string;
  readonly fix?: string | undefined;
}

/** Of records it has ids, which may be those of patients: these a terminal shows. */
const namesRecord = ({ check, detail }: DoctorCheck): boolean =>
  check === 'record left out' || /\b(?!America|Europe|Etc)[A-Z]\w+\/\S/.test(detail);

/** The report of `puente doctor`. */
export function renderDoctor(found: readonly DoctorCheck[]): string {
  const rows = found.map((each) => [
    escapeHtml(each.section),
    each.ok === false ? wrong(each.check) : `${each.ok ? '✔' : '·'} ${escapeHtml(each.check)}`,
    namesRecord(each) ? 'names records: run <code>puente doctor</code> on a terminal' : escapeHtml(each.detail),
    escapeHtml(each.fix ?? ''),
  ]);
  const main = `
      <h1>Report of doctor</h1>
      <p><a href="/">Back to the gateway</a></p>
      ${table(['Of', 'Check', 'Found', 'What to do'], rows)}`;
  return renderOperatorPage('Puente: doctor', main);
}

/** The controls are outside of the replaced part, so that they keep the focus. */
const renderOperatorPage = (title: string, main: string): string =>
  renderPage('', {
    title,
    head: '\n    <script src="/operator.js" defer></script>',
    nav: `
        <label><input type="checkbox" id="refresh" checked> Every 5 s</label>
        <form method="post" action="/doctor"><button>Run doctor</button></form>`,
    body: `
    <main id="main" class="text">${main}
    </main>`,
  });

/** Fetches the page again, unless a person has marked something in it, and reports when it gets no page. */
export const operatorScript = `
const box = document.getElementById('refresh');
if (location.pathname !== '/') box.parentElement.remove();
else setInterval(async () => {
  if (!box.checked || document.hidden || !getSelection().isCollapsed) return;
  const main = document.getElementById('main');
  let what = 'No answer';
  try {
    const response = await fetch('/', { signal: AbortSignal.timeout(4000) });
    const text = await response.text();
    const page = new DOMParser().parseFromString(text, 'text/html').getElementById('main');
    if (page) return main.replaceWith(page);
    // A gateway that waits for its database answers without a page.
    what = 'No page (status ' + response.status + ')';
  } catch {}
  if (document.getElementById('gone')) return;
  const gone = Object.assign(document.createElement('p'), { id: 'gone', className: 'wrong', role: 'alert' });
  gone.textContent = '✖ ' + what + ' since ' + new Date().toLocaleTimeString() + ': what follows is from before.';
  main.prepend(gone);
}, 5000);
`.trimStart();
