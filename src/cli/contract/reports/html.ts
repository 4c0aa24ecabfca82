import { hash } from 'node:crypto';
import { capabilities } from '../../../ports/index.ts';
import { count, groupByPort, groupBySection, listRemaining, type Report, type ReportedCase } from '../result.ts';
import { script } from './html-script.ts';
import { style } from './html-style.ts';
import { escapeMarkup } from './markup.ts';

const marks = { pass: '✔', fail: '✖', skip: '–' } as const;
const words = { pass: 'passed', fail: 'failed', skip: 'skipped' } as const;
const outcomes = ['fail', 'skip', 'pass'] as const;

/** The report as one HTML file, which loads nothing and may run nothing but its own script. */
export function formatHtml(report: Report): string {
  const { target, cases } = report;
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    `script-src 'sha256-${hash('sha256', script, 'base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Contract: ${escapeMarkup(target.name)}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>Contract of the Healthcare Institution Integration API</h1>
<p class="target">${escapeMarkup(target.name)} <span>${escapeMarkup(target.how)}</span></p>
${formatTotals(cases)}
${formatFacts(report)}
</header>
<main>
${formatSections(cases)}
<h2 id="cases">Cases</h2>
${formatFilter(cases)}
<p id="none" hidden>No case matches the filter.</p>
${[...groupByPort(cases)].map(([port, each]) => formatPort(port, each)).join('\n')}
</main>
<footer>
<p>Keys: <kbd>/</kbd> filter, <kbd>j</kbd> <kbd>k</kbd> next and previous case, <kbd>Enter</kbd> open or close,
<kbd>1</kbd>–<kbd>4</kbd> all, failed, skipped, passed.</p>
<p>A copied command takes the token from the shell variable <code>PUENTE_CONTRACT_TOKEN</code>, and patients from variables
with the names of the fixtures, e.g. <code>patients_complete</code> for <code>patients.complete</code>. Values of patients
stand nowhere in this file. Puente ${escapeMarkup(report.version)}.</p>
</footer>
<script>${script}</script>
</body>
</html>
`;
}

function formatTotals(cases: readonly ReportedCase[]): string {
  const numbers = outcomes.map(
    (outcome) => `<li class="${outcome}"><b>${count(cases, outcome)}</b> ${words[outcome]}</li>`,
  );
  return `<ul class="totals">${numbers.join('')}</ul>`;
}

function formatFacts({ level, offered, target, startedAt, ms, cleanUp, stopped }: Report): string {
  const facts: [string, string][] = [
    ['Level', level],
    ['Fixtures', target.fixtures],
    ['Started', `${startedAt.slice(0, 16).replace('T', ' ')} UTC, ${(ms / 1000).toFixed(1)} s`],
    ['Offered', formatOffered(offered)],
  ];
  if (stopped !== undefined) facts.push(['Stopped', stopped]);
  if (cleanUp) {
    const { canceledAppointments, removedRelatives, lost, failures } = cleanUp;
    facts.push(
      ['Cleaned up', `${canceledAppointments} appointments canceled, ${removedRelatives} relatives removed`],
      ['Left there', listRemaining(cleanUp).join(', ') || 'nothing'],
    );
    if (lost > 0) facts.push(['Unknown', `${lost} writes got no answer`]);
    if (failures.length > 0) facts.push(['Not cleaned up', failures.join('; ')]);
  }
  const rows = facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${escapeMarkup(value)}</dd></div>`);
  return `<dl class="facts">${rows.join('')}</dl>`;
}

const formatOffered = (offered: Report['offered']): string =>
  offered.length === capabilities.length
    ? `all ${offered.length} capabilities`
    : `${offered.length} of ${capabilities.length} capabilities: ${offered.join(', ')}`;

function formatSections(cases: readonly ReportedCase[]): string {
  const rows = groupBySection(cases).map(([section, heading, each]) => {
    const cells = (['pass', 'fail', 'skip'] as const).map((outcome) => {
      const number = count(each, outcome);
      return `<td class="${number > 0 ? outcome : 'zero'}">${number}</td>`;
    });
    return `<tr><th scope="row"><div><b>${section}</b> ${escapeMarkup(heading)}</div></th>${cells.join('')}</tr>`;
  });
  return `<h2>What is proved of the API document</h2>
<table><thead><tr><th scope="col">Section</th><th scope="col">Proved</th><th scope="col">Failed</th><th scope="col">Skipped</th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table>`;
}

function formatFilter(cases: readonly ReportedCase[]): string {
  const buttons = [
    `<button type="button" data-show="" aria-pressed="true">all ${cases.length}</button>`,
    ...outcomes.map(
      (outcome) =>
        `<button type="button" data-show="${outcome}" aria-pressed="false">${words[outcome]} ${count(cases, outcome)}</button>`,
    ),
  ];
  return `<div class="filter" role="search">
<input id="filter" type="search" placeholder="Filter by words of title, id, route or section" aria-label="Filter" autocomplete="off">
<div class="buttons">${buttons.join('')}</div></div>`;
}

const formatPort = (port: string, cases: readonly ReportedCase[]): string =>
  `<section class="port"><h3>${escapeMarkup(port)}</h3>\n${cases.map(formatCase).join('\n')}\n</section>`;

function formatCase({ id, title, section, level, outcome, reason, ms, requests }: ReportedCase): string {
  const lines = requests.map(
    ({ route, status, ms: took, curl }) =>
      `<li><span class="status">${status ?? '—'}</span><code class="route">${escapeMarkup(route)}</code><span class="ms">${took} ms</span>` +
      `<button type="button" class="copy">copy as curl</button><pre class="curl">${escapeMarkup(curl)}</pre></li>`,
  );
  return `<details class="case ${outcome}" data-outcome="${outcome}"${outcome === 'fail' ? ' open' : ''}>
<summary><span class="mark" role="img" aria-label="${words[outcome]}">${marks[outcome]}</span><span class="title">${escapeMarkup(title)}</span><span class="id">${escapeMarkup(id)}</span><span class="ms">section ${section} · ${level} · ${ms} ms</span></summary>
${reason === undefined ? '' : `<pre class="reason">${formatReason(reason)}</pre>`}
${lines.length === 0 ? '<p class="quiet">No request was sent.</p>' : `<ol>${lines.join('\n')}</ol>`}
</details>`;
}

const formatReason = (reason: string): string =>
  reason
    .split('\n')
    .map((line) => {
      const kind = line.startsWith('+') ? 'answered' : line.startsWith('-') ? 'expected' : '';
      return kind === '' ? escapeMarkup(line) : `<span class="${kind}">${escapeMarkup(line)}</span>`;
    })
    .join('\n');
