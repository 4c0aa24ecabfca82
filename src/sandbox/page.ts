import type { Cast } from '../../adapters/memory/sandbox.ts';
import type { Operation } from '../api/index.ts';
import { getTag } from '../api/openapi-operation.ts';
import { findAnchor } from '../http/docs/reference.ts';
import { escapeHtml, renderPage, renderProse } from '../toolkit/html.ts';
import { listScenarios, writeScenario } from './scenarios.ts';

/** The reactions of a client; every scenario belongs to one of them. */
export const scenarioGroups: readonly { readonly act: string; readonly scenarios: readonly string[] }[] = [
  {
    act: 'Wait for `Retry-After` seconds, then retry the request',
    scenarios: [
      ...['rate_limited', 'overloaded', 'backend_circuit_open', 'starting', 'draining', 'idempotency_key_in_use'],
      ...['idempotency_store_unavailable', 'audit_unavailable', 'auth_provider_unavailable'],
    ],
  },
  {
    act: 'Retry with a growing delay',
    scenarios: ['backend_unavailable', 'backend_timeout', 'request_timeout'],
  },
  {
    act: 'The response is lost: retry a write with the same `Idempotency-Key`, and a read unchanged',
    scenarios: ['backend_outcome_unknown', 'drop', 'garbled', 'cut', 'wrong_length'],
  },
  {
    act: 'The outcome of the write is unknown: read the data before you send a new one',
    scenarios: ['outcome_unresolved', 'internal_error', 'backend_invalid_response'],
  },
  {
    act: 'Another client was faster: read the data again and let the user choose',
    scenarios: ['slot_taken', 'slot_unknown', 'conflict', 'precondition_failed'],
  },
  {
    act: 'The institution refuses: show the reason to the user and do not retry',
    scenarios: [
      ...['forbidden', 'not_cancelable', 'identity_conflict', 'change_request_open', 'relation_exists'],
      ...['coverage_exists', 'search_too_wide', 'not_implemented'],
    ],
  },
  {
    act: 'The record does not exist: show an empty result',
    scenarios: ['not_found', 'no_main_practitioner', 'no_change_request'],
  },
  {
    act: 'The request is invalid: correct the client',
    scenarios: [
      ...['malformed_request', 'validation', 'nonexistent_local_time', 'idempotency_key_reused', 'not_acceptable'],
      'idempotency_key_required',
      ...['unsupported_media_type', 'payload_too_large', 'headers_too_large'],
    ],
  },
  {
    act: 'The token is not sufficient: get another token or scope',
    scenarios: ['unauthenticated', 'insufficient_scope'],
  },
  {
    act: 'The response is valid but late, incomplete or newer: show it',
    scenarios: ['slow', 'omitted', 'unknown_fields'],
  },
];

const spell = (name: string): string => `\`${writeScenario(name)}\``;

const option = (value: string, text = value): string =>
  `<option value="${escapeHtml(value)}">${escapeHtml(text)}</option>`;

/** The page at `/sandbox`: its general part, and the data that its script fetches with a token. */
export function renderSandbox(basePath: string, served: readonly Operation[], cast: Cast): string {
  const path = escapeHtml(basePath);
  const names = new Set(served.flatMap(listScenarios));
  const groups = scenarioGroups
    .map(({ act, scenarios }) => ({ act, scenarios: scenarios.filter((name) => names.has(name)) }))
    .filter(({ scenarios }) => scenarios.length > 0);
  return renderPage(basePath, {
    title: 'Puente: the sandbox',
    head: `
    <link rel="stylesheet" href="${path}/sandbox/page.css">
    <script type="module" src="${path}/sandbox/page.js"></script>`,
    body: `
    <main id="main" class="text" data-base="${path}">
      <h1>The sandbox</h1>
      <p>An invented hospital that simulates every failure on request. The header <code>Puente-Scenario</code> makes one request fail that way. A plan does the same for the next calls of a client, without a header. The <a href="${path}/docs#tag/sandbox">reference</a> documents the calls behind this page.</p>
      <form id="access">
        <label>Token with the scope <code>sandbox</code>, such as the one that <code>npm start</code> prints <input id="token" type="password" autocomplete="off" required></label>
        <button>Open</button>
      </form>
      <noscript><p>The clock, the plans and the requests need JavaScript.</p></noscript>
      <p id="said" role="status"></p>
      <div id="live" hidden>
${clock}${renderPlans(groups, served, Object.keys(cast))}${requests}      </div>
${renderScenarios(path, groups)}${renderCast(path, served, cast)}    </main>`,
  });
}

type ScenarioGroup = (typeof scenarioGroups)[number];

const clock = `        <section aria-labelledby="clock-title">
          <h2 id="clock-title">Clock</h2>
          <p><strong id="clock"></strong> <span id="zone"></span></p>
          <div class="controls">
            <button type="button" data-ahead="3600">Forward 1 hour</button>
            <button type="button" data-ahead="86400">Forward 1 day</button>
            <button type="button" data-ahead="604800">Forward 1 week</button>
            <form id="move" class="controls">
              <label>Local time <input id="moment" type="datetime-local" required></label>
              <button>Set</button>
            </form>
            <button type="button" id="reset">Reset everything</button>
          </div>
        </section>
`;

const renderPlans = (
  groups: readonly ScenarioGroup[],
  served: readonly Operation[],
  patients: readonly string[],
): string => `        <section aria-labelledby="plans-title">
          <h2 id="plans-title">Plans</h2>
          <form id="plan" class="controls">
            <label>Scenario <select id="scenario">${groups.map(renderGroup).join('')}</select></label>
            <label>Value <input id="value" size="10" placeholder="2%" autocomplete="off"></label>
            <label>Operation <select id="operation">${option('', 'any with this scenario')}${served.map(({ name, summary }) => option(name, summary)).join('')}</select></label>
            <label>Patient <input id="patient" list="cast" size="14" placeholder="any" autocomplete="off"></label>
            <datalist id="cast">${patients.map((id) => option(id)).join('')}</datalist>
            <label>Client <input id="client" size="10" placeholder="mine" autocomplete="off"></label>
            <label>Calls <input id="calls" type="number" min="1" max="1000" value="1" required></label>
            <button>Add plan</button>
            <button type="button" id="remove-plans">Remove all plans</button>
          </form>
          <table>
            <caption class="absent">Active plans, then the last ones that are used up</caption>
            <thead><tr><th>Scenario</th><th>Operation</th><th>Patient</th><th>Client</th><th>Calls</th></tr></thead>
            <tbody id="plans"></tbody>
          </table>
        </section>
`;

const renderGroup = ({ act, scenarios }: ScenarioGroup): string =>
  `<optgroup label="${escapeHtml(act.replaceAll('`', ''))}">${scenarios.map((name) => option(name)).join('')}</optgroup>`;

const requests = `        <section aria-labelledby="requests-title">
          <h2 id="requests-title">Your last requests</h2>
          <div class="controls">
            <label><input id="watch" type="checkbox" checked> Update every 3 seconds</label>
            <button type="button" id="refresh">Update now</button>
            <button type="button" id="remove-requests">Delete requests</button>
          </div>
          <table>
            <caption class="absent">Newest first</caption>
            <thead><tr><th>Hospital’s time</th><th>Request</th><th>Scenario</th><th>Status</th><th>Cause</th></tr></thead>
            <tbody id="requests"></tbody>
          </table>
        </section>
`;

const renderScenarios = (
  path: string,
  groups: readonly ScenarioGroup[],
): string => `      <section aria-labelledby="scenarios-title">
        <h2 id="scenarios-title">Scenarios by client reaction</h2>
        <dl class="acts">${groups
          .map(
            ({ act, scenarios }) => `
          <dt>${renderProse(act)}</dt><dd>${renderProse(scenarios.map(spell).join(', '))}</dd>`,
          )
          .join('')}
        </dl>
        <p>${renderProse('The reference lists the scenarios of each operation. With `made`, or without a value, the write took effect; with `lost` it did not. A share of the calls follows the name, as in `drop=2%` or `overloaded=7,2%`. `slow=p50:80,p99:900` delays half of the responses by less than 80 milliseconds, and one in a hundred by more than 900.')} Most scenarios are <a href="${path}/problems">problems</a>.</p>
      </section>
`;

const renderCast = (
  path: string,
  served: readonly Operation[],
  cast: Cast,
): string => `      <section id="people" aria-labelledby="cast-title">
        <h2 id="cast-title">Patients for every case</h2>
        <table>
          <thead><tr><th>Id</th><th>This patient</th><th>Try</th></tr></thead>
          <tbody>${Object.entries(cast)
            .map(
              ([id, { says, try: name }]) => `
            <tr>
              <td><code>${escapeHtml(id)}</code></td>
              <td>${renderProse(says)}</td>
              <td>${served
                .filter((each) => each.name === name)
                .map((each) => renderLink(path, each))
                .join('')}</td>
            </tr>`,
            )
            .join('')}
          </tbody>
        </table>
      </section>
`;

const renderLink = (path: string, operation: Operation): string =>
  `<a href="${path}/docs${findAnchor(getTag(operation), operation.name)}">${escapeHtml(operation.summary)}</a>`;

export const sandboxStyle = `
.controls, #access { display: flex; flex-wrap: wrap; align-items: end; gap: 0.5rem 0.75rem; margin: 0.75rem 0; }
.controls .controls { margin: 0; }
#main label { display: block; max-width: 100%; font-size: 0.9rem; }
input, select, button {
  display: block;
  max-width: 100%;
  min-height: 2.4rem;
  padding: 0.25rem 0.6rem;
  border: 1px solid var(--text-muted);
  border-radius: 4px;
  background: var(--surface);
  color: var(--text);
  font: inherit;
}
input[type=checkbox] { display: inline; min-height: 0; vertical-align: middle; }
button { cursor: pointer; }
#token { width: 22rem; }
#said:empty { display: none; }
#said { padding: 0.5rem 0.75rem; border-left: 3px solid var(--accent); background: var(--surface); }
caption { padding: 0.25rem 0; text-align: left; }
#requests td, #plans td { overflow-wrap: anywhere; }
.used { color: var(--text-muted); }
#requests td:nth-child(3), #plans td:first-child, #people td:first-child code { white-space: nowrap; }
@media (max-width: 40rem) {
  caption { display: block; }
  td[data-label]::before { content: attr(data-label) ': '; color: var(--text-muted); }
  #requests td:nth-child(3), #plans td:first-child { white-space: normal; }
}
.acts { display: block; }
.acts dt { margin-top: 0.75rem; color: var(--text); }
.acts dd { margin: 0; }
`.trimStart();

/** Sends requests to the sandbox with the token of the page's user. The token is not stored beyond the page. */
export const sandboxScript = `const { base } = document.querySelector('main').dataset;
const find = (id) => document.getElementById(id);
let token = '';
let clock;
let read = 0;

const say = (text) => { find('said').textContent = text; };

async function ask(method, path, body) {
  const headers = { Authorization: 'Bearer ' + token };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const response = await fetch(base + '/sandbox/' + path, { method, headers, body: body && JSON.stringify(body) });
  const answer = await response.json();
  if (response.ok) return answer;
  const faults = (answer.errors ?? []).map(({ at, message }) => at + ' ' + message);
  throw new Error([answer.detail, ...faults].join(' '));
}

function row(cells, className = '') {
  const made = document.createElement('tr');
  made.className = className;
  for (const [label, cell] of Object.entries(cells)) {
    const shown = Object.assign(document.createElement('td'), { textContent: cell });
    shown.dataset.label = label;
    made.append(shown);
  }
  return made;
}

function showClock() {
  if (!clock) return;
  const now = Date.parse(clock.now) + (clock.frozen ? 0 : performance.now() - read);
  const format = { dateStyle: 'full', timeStyle: 'medium', timeZone: clock.timeZone };
  find('clock').textContent = new Intl.DateTimeFormat('en-GB', format).format(now);
  find('zone').textContent = clock.timeZone + (clock.frozen ? ', frozen' : '');
}

async function readClock(answer) {
  clock = answer ?? (await ask('GET', 'clock'));
  read = performance.now();
  if (!find('moment').value) find('moment').value = clock.local.slice(0, 16);
  showClock();
}

async function listPlans() {
  const plans = await ask('GET', 'scenarios?used_up=true');
  find('plans').replaceChildren(
    ...plans.map(({ scenario, operation = 'any', patient = 'any', client, calls }) =>
      row(
        { Scenario: scenario, Operation: operation, Patient: patient, Client: client, Calls: calls || 'used up' },
        calls === 0 ? 'used' : '',
      ),
    ),
  );
}

function explain({ code, ignored = [], refused = [] }) {
  return [
    ...(code ? [code] : []),
    ...refused.map((fault) => [fault.in, fault.at, fault.message].filter(Boolean).join(' ')),
    ...(ignored.length > 0 ? ['ignored: ' + ignored.join(', ')] : []),
  ].join('; ');
}

async function listRequests() {
  const requests = await ask('GET', 'requests');
  find('requests').replaceChildren(
    ...requests.reverse().map((request) => {
      const query = new URLSearchParams(request.query ?? {}).toString();
      const target = request.method + ' ' + request.path + (query && '?' + query);
      const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone: clock.timeZone });
      return row({
        Time: time.format(Date.parse(request.at)),
        Request: target,
        Scenario: request.scenario ?? '',
        Status: request.status ?? 'none',
        Cause: explain(request),
      });
    }),
  );
}

async function update() {
  await readClock();
  await listPlans();
  await listRequests();
}

const act = (work) => async (event) => {
  event.preventDefault();
  try {
    say((await work(event)) ?? '');
  } catch (error) {
    say(error.message);
  }
};

const on = (id, event, work) => find(id).addEventListener(event, act(work));

on('access', 'submit', async () => {
  token = find('token').value.trim();
  await update();
  find('live').hidden = false;
});
for (const button of document.querySelectorAll('[data-ahead]'))
  button.addEventListener('click', act(async () => {
    await readClock();
    const ahead = 1000 * Number(button.dataset.ahead);
    await readClock(await ask('POST', 'clock', { now: new Date(Date.parse(clock.now) + ahead).toISOString() }));
  }));
on('move', 'submit', async () => readClock(await ask('POST', 'clock', { now: find('moment').value })));
on('reset', 'click', async () => {
  await ask('POST', 'reset');
  await update();
  return 'Data, clock, plans, requests, limits and circuits are as at the start.';
});
on('plan', 'submit', async () => {
  const given = (id) => find(id).value.trim();
  const value = given('value');
  const plan = { scenario: given('scenario') + (value && '=' + value), calls: Number(given('calls')) };
  for (const name of ['operation', 'patient', 'client']) if (given(name)) plan[name] = given(name);
  await ask('POST', 'scenarios', plan);
  await listPlans();
});
on('remove-plans', 'click', async () => {
  await ask('DELETE', 'scenarios');
  await listPlans();
});
on('refresh', 'click', update);
on('remove-requests', 'click', async () => {
  await ask('DELETE', 'requests');
  await listRequests();
});

setInterval(showClock, 1000);
setInterval(() => {
  const isWatched = find('watch').checked && !find('live').hidden && document.visibilityState === 'visible';
  if (isWatched) Promise.all([listPlans(), listRequests()]).catch((error) => say(error.message));
}, 3000);
`;
