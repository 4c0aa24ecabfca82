import { getPortName, isOffered, type Operation } from '../../api/index.ts';
import { isProblemCode, problems as knownProblems } from '../../api/problems.ts';
import type { Forwarder } from '../../audit/forward.ts';
import type { AuditWriter } from '../../audit/writer.ts';
import type { Refusals } from '../../auth/refusals.ts';
import type { Guard, Occupancy, Protected } from '../../guard/guard.ts';
import type { AdapterImpairment, Capability, Finding } from '../../ports/index.ts';
import type { State } from '../../state/state.ts';
import { escapeHtml, renderPage, renderProse } from '../../toolkit/html.ts';
import { buildVersion } from '../../toolkit/package.ts';
import type { OmittedRecords } from '../omitted-records.ts';
import { RECENT_MINUTES, type RecentClient, type RecentRequests } from './recent-requests.ts';

/** A gateway as its operator sees it. */
export interface OperatedGateway {
  readonly institution: { readonly name?: string | undefined; readonly timeZone: string };
  /** The configuration file. */
  readonly file: string;
  readonly warnings: readonly string[];
  readonly adapters: readonly string[];
  /** The state of each adapter, after its name and a colon. */
  readonly notes: readonly string[];
  readonly operations: readonly Operation[];
  readonly supports: ReadonlySet<Capability>;
  readonly findOwner: (capability: Capability) => string;
  readonly impairments: () => readonly AdapterImpairment[];
  readonly drain: { readonly started: boolean };
  readonly guard: Pick<Guard, 'occupancies' | 'openCircuits'>;
  readonly recent: Pick<RecentRequests, 'listClients' | 'listFailures'>;
  readonly refusals: Pick<Refusals, 'counts'>;
  readonly omitted: Pick<OmittedRecords, 'counts'>;
  readonly state: Pick<State, 'failure' | 'clockOffset'> & { readonly kind: string };
  /** Undefined where no trail is kept. */
  readonly audit: Trail | undefined;
}

interface Trail {
  readonly chain: string;
  readonly writer: Pick<AuditWriter, 'written' | 'waiting' | 'lost' | 'gaps' | 'lastGap' | 'failure'>;
  readonly forwarders: readonly Pick<Forwarder, 'name' | 'failure'>[];
}

type FormatTime = (at: number) => string;
type DescribeLimits = (client: RecentClient) => string;

const code = (text = ''): string => `<code>${escapeHtml(text)}</code>`;
const wrong = (text: string): string => `<span class="wrong">✖ ${escapeHtml(text)}</span>`;
/** Problems that are shown, each of one operation: as failing in the first lines, and as refused. */
const MAX_FAILING = 5;
const MAX_REFUSED = 20;

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
export function renderGateway(gateway: OperatedGateway, describeLimits: DescribeLimits): string {
  const { institution, adapters, warnings, omitted, impairments, drain } = gateway;
  const { timeZone } = institution;
  const formatter = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const time: FormatTime = (at) => formatter.format(at);
  const found = impairments();
  const name = institution.name ?? 'Gateway';
  const impaired = found.map(({ adapter, code: what, detail }) => [
    escapeHtml(adapter === undefined ? what : `${adapter}: ${what}`),
    escapeHtml(detail),
  ]);
  const summary = found.length === 0 ? '✔ In service, not impaired' : wrong(`Impaired: ${found.length} to mend`);
  const lists = omitted.counts.map(({ resourceType, element, count }) => `${count} × ${resourceType} (${element})`);
  const main = `
      <h1>${escapeHtml(name)}</h1>
      <p>${drain.started ? wrong('Shutting down') : summary} <span class="absent">at ${time(Date.now())}, ${timeZone}</span></p>
      ${facts(listAnswers(gateway, time))}
      <h2>What is wrong</h2>
      ${table(['Code', 'What to do'], impaired)}
      <h2 id="refused">Refused requests, last ${RECENT_MINUTES} minutes</h2>
      ${renderRefused(gateway)}
      <h2 id="callers">Callers, last ${RECENT_MINUTES} minutes</h2>
      ${renderCallers(gateway, describeLimits)}
      ${adapters.map((adapter) => renderAdapter(adapter, gateway, time)).join('')}
      <h2 id="trail">State and audit trail</h2>
      ${facts([...listState(gateway, found), ...listTrail(gateway.audit, time)])}
      <h2>What runs</h2>
      ${facts([
        ['Version', code(buildVersion)],
        ['Up since', time(Date.now() - process.uptime() * 1_000)],
        ['Configuration', code(gateway.file)],
        ['Warnings', join(warnings.map(wrong), 'none')],
        ['Left out of lists', join(lists.map(escapeHtml), 'none')],
      ])}
      <h2 id="operations">Operations</h2>
      ${renderOperations(gateway)}`;
  return renderOperatorPage(`Puente: ${name}`, main);
}

/** The answers to an operator's first questions, each as a link to its section. */
function listAnswers({ recent, operations, supports, audit }: OperatedGateway, time: FormatTime): [string, string][] {
  const link = (section: string, text: string): string => `<a href="#${section}">${text}</a>`;
  const failing = sumProblems(recent.listClients()).filter(
    ({ type }) => type && type.status >= 500 && type.status !== 501,
  );
  const limited = recent.listClients().filter(({ problems }) => [...problems.keys()].some(isLimit));
  const absent = operations.filter((operation) => !isOffered(operation, supports));
  const faults = listFaults(audit, time);
  const failures = failing.slice(0, MAX_FAILING).map(({ what, count }) => wrong(`${what} × ${count}`));
  const clients = limited.map(({ name }) => wrong(name || 'without a valid token'));
  const offers = absent.length === 0 ? '✔ none' : `${absent.length} of ${operations.length} operations`;
  return [
    ['Failing', link('refused', join(failures, '✔ none'))],
    ['Limited clients', link('callers', join(clients, '✔ none'))],
    ['Not offered', link('operations', offers)],
    ['Audit trail', link('trail', join(faults.map(wrong), audit ? '✔ no gap since the start' : 'none is kept'))],
  ];
}

const isLimit = (what: string): boolean => what.endsWith(' rate_limited');

/** The problems of all clients, such as `bookAppointment slot_taken`; the most frequent ones first. */
function sumProblems(clients: readonly RecentClient[]) {
  const all = clients.flatMap(({ problems }) => [...problems]);
  return [...Map.groupBy(all, ([what]) => what)]
    .map(([what, counts]) => {
      const [operation = '', problem = ''] = what.split(' ');
      const type = isProblemCode(problem) ? knownProblems[problem] : undefined;
      return { what, operation, problem, type, count: counts.reduce((sum, [, count]) => sum + count, 0) };
    })
    .toSorted((a, b) => b.count - a.count);
}

function renderRefused({ recent }: OperatedGateway): string {
  const rows = sumProblems(recent.listClients())
    .slice(0, MAX_REFUSED)
    .map(({ operation, problem, type, count }) => [
      escapeHtml(operation),
      `${type?.status ?? ''} ${escapeHtml(problem)}`,
      String(count),
      escapeHtml(type?.happened ?? ''),
    ]);
  return table(['Operation', 'Problem', 'Requests', 'What happened'], rows);
}

function renderCallers({ recent, refusals }: OperatedGateway, describeLimits: DescribeLimits): string {
  const rows = recent.listClients().map((client) => {
    const sorted = [...client.problems].toSorted(([, a], [, b]) => b - a);
    const problems = sorted.map(([what, count]) => `${what} × ${count}`);
    const marked = problems.map((each) => (each.includes(' rate_limited ') ? wrong(each) : escapeHtml(each)));
    const name = client.name === '' ? 'without a valid token' : code(client.name);
    return [name, String(client.requests), join(marked, 'none'), describeLimits(client)];
  });
  const reasons = refusals.counts.map(({ reason, scope = '', count }) => [
    escapeHtml(reason),
    escapeHtml(scope),
    String(count),
  ]);
  return `${table(['Client', 'Requests', 'Problems', 'Left of its limits'], rows)}
      <h3>Tokens refused since the start</h3>
      ${table(['Reason', 'Scope', 'Requests'], reasons)}`;
}

function renderAdapter(adapter: string, { guard, recent, notes }: OperatedGateway, time: FormatTime): string {
  const busy = guard.occupancies.filter(({ kind }) => kind.adapter === adapter);
  const open = guard.openCircuits.filter((kind) => kind.adapter === adapter);
  const circuits = [...Map.groupBy(open, getPart)].map(([part, all]) =>
    wrong(`${part}: refuses ${all.length} client${all.length === 1 ? '' : 's'}`),
  );
  const own = notes.filter((note) => note.startsWith(`${adapter}: `) && !note.includes(ABSENT));
  const failures = recent.listFailures(adapter).map(({ at, request }) => {
    const { operation = '', status, code: problem = '', cause = '', requestId } = request;
    return [time(at), escapeHtml(operation), `${status} ${escapeHtml(problem)}`, escapeHtml(cause), code(requestId)];
  });
  return `
      <h2>Adapter ${escapeHtml(adapter)}</h2>
      ${facts([
        ['In flight', formatBusy(busy, 'running')],
        ['Waiting', formatBusy(busy, 'queued')],
        ['Open circuits', join(circuits, 'none')],
        ['Notes', join(own.map(renderProse), 'none')],
      ])}
      <h3>Its last failures</h3>
      ${table(['Time', 'Operation', 'Problem', 'Cause', 'Request'], failures)}`;
}

const getPart = (kind: Protected): string => kind.operation ?? `${kind.port} ${kind.class}`;

function formatBusy(busy: readonly Occupancy[], of: 'running' | 'queued'): string {
  const parts = busy.flatMap((each) => (each[of] > 0 ? [`${each[of]} × ${getPart(each.kind)}`] : []));
  return join(parts, 'none');
}

function listState({ state }: OperatedGateway, found: readonly AdapterImpairment[]): [string, string][] {
  const { kind, failure, clockOffset } = state;
  const clock = found.find((each) => each.code === 'clock');
  const offset = clockOffset ? `the database is ${(clockOffset() / 1_000).toFixed(1)} s ahead; ` : '';
  const store = failure === undefined ? `${kind} answers` : wrong(`${kind}: ${failure}; writes with a key are 503`);
  return [
    ['State and keys', store],
    ['Clock', clock ? wrong(clock.detail) : `${offset}agrees with every system that was asked`],
  ];
}

const gapReasons: Readonly<Record<string, string>> = {
  not_ended: 'the process before this one was killed: its last records may be missing',
  too_many_waiting: 'records were lost while the trail could not be written',
};

/** Why the trail is not whole. */
function listFaults(trail: Trail | undefined, time: FormatTime): string[] {
  if (!trail) return [];
  const { lost, gaps, lastGap, failure } = trail.writer;
  const all = [gaps === 1 ? '1 gap' : `${gaps} gaps`, ...(lost > 0 ? [`${lost} records lost`] : [])].join(', ');
  const why = lastGap ? `; the last at ${time(lastGap.at)}: ${gapReasons[lastGap.reason] ?? lastGap.reason}` : '';
  return [
    ...(failure === undefined ? [] : [`cannot be written: ${failure}`]),
    ...(gaps + lost === 0 ? [] : [`${all} since the start${why}`]),
  ];
}

function listTrail(trail: Trail | undefined, time: FormatTime): [string, string][] {
  if (!trail) return [['Audit trail', 'none is kept']];
  const { written, waiting } = trail.writer;
  const faults = listFaults(trail, time).map(wrong);
  const forwarders = trail.forwarders.map(({ name, failure: cause }) =>
    cause === undefined ? `${name} takes it` : wrong(`${name}: ${cause}`),
  );
  const head = written ? `record ${written.seq} at ${time(written.lastAt)}` : 'nothing by this process yet';
  return [
    ['Audit trail', join(faults, '✔ no gap since the start')],
    ['Stored records', '<em>Run doctor</em> verifies them, as <code>puente audit verify</code> does'],
    ['Its head', `${head}, in ${code(trail.chain)}`],
    ['Not written yet', `${waiting} records`],
    ['Forwarded', join(forwarders, 'nowhere')],
  ];
}

/** First each operation that is not offered, then the others by their adapters and ports. */
function renderOperations({ operations, supports, findOwner, notes }: OperatedGateway): string {
  const [absent = [], offered = []] = [false, true].map((is) =>
    operations.filter((operation) => isOffered(operation, supports) === is),
  );
  const missing = absent.map(({ name, uses }) => {
    const lacking = uses.filter((capability) => !supports.has(capability));
    return [escapeHtml(name), lacking.map((each) => explainAbsence(each, findOwner(each), notes)).join('; ')];
  });
  const served = [...Map.groupBy(offered, (each) => `${findOwner(each.uses[0])} ${getPortName(each)}`)];
  return `
      <h3>Not offered: their response is 501</h3>
      ${table(['Operation', 'Why'], missing)}
      ${missing.length > 0 ? `<p class="absent">${howToOffer}</p>` : ''}
      <h3>Offered</h3>
      ${table(
        ['Adapter', 'Port', 'Operations'],
        served.map(([owner, all]) => [
          ...owner.split(' ').map(escapeHtml),
          all.map(({ name }) => escapeHtml(name)).join(', '),
        ]),
      )}`;
}

/** The reason in the adapter's note, such as the missing parts of its mapping file; otherwise the missing method. */
function explainAbsence(capability: Capability, owner: string, notes: readonly string[]): string {
  const [, why] =
    notes.map((note) => note.split(`${owner}: ${capability}${ABSENT}`)).find((parts) => parts.length > 1) ?? [];
  return why === undefined ? `${escapeHtml(owner)} has no ${code(capability)}` : renderProse(why);
}

/** In the notes of an adapter, between a method and why the adapter lacks it. */
const ABSENT = ' is not offered: ';

const howToOffer =
  'To offer an operation, add the section to the mapping file or the method to the adapter, or give the port to another adapter under <code>ports</code> in the configuration.';

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
  const content = table(['Of', 'Check', 'Found', 'What to do'], rows);
  const main = `<h1>Report of doctor</h1>\n      <p><a href="/">Back to the gateway</a></p>\n      ${content}`;
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

/** Fetches the page again, unless a person has marked something in it, and reports when the gateway is gone. */
export const operatorScript = `
const box = document.getElementById('refresh');
if (location.pathname !== '/') box.parentElement.remove();
else setInterval(async () => {
  if (!box.checked || document.hidden || !getSelection().isCollapsed) return;
  const main = document.getElementById('main');
  try {
    const text = await (await fetch('/', { signal: AbortSignal.timeout(4000) })).text();
    main.replaceWith(new DOMParser().parseFromString(text, 'text/html').getElementById('main'));
  } catch {
    if (document.getElementById('gone')) return;
    const gone = Object.assign(document.createElement('p'), { id: 'gone', className: 'wrong', role: 'alert' });
    gone.textContent = '✖ No answer since ' + new Date().toLocaleTimeString() + ': what follows is from before.';
    main.prepend(gone);
  }
}, 5000);
`.trimStart();
