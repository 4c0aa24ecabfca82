import { escapeHtml, renderPage } from '../../../src/toolkit/html.ts';
import { type Entry, formatEntry, type Given } from '../examination/entries.ts';
import type { ThingName } from '../file/things.ts';
import type { Trial } from './trial.ts';

/** One question of the file, and its result. Undefined before it has values. */
export interface PreviewedEntry {
  readonly entry: Entry;
  readonly given: Given;
  readonly trial: Trial | undefined;
  /** The reasons why the question could not be sent. */
  readonly problems: readonly string[];
}

/** A page about one thing. */
export interface PreviewedThing {
  /** The name of the file. */
  readonly file: string;
  /** Every thing of the file. */
  readonly things: readonly ThingName[];
  readonly thing: ThingName | undefined;
  /** The problems of the file, as `check` reports them. */
  readonly problems: readonly string[];
  readonly entries: readonly PreviewedEntry[];
  readonly showValues: boolean;
  /** The version of the file that was read. */
  readonly version: string;
}

const pre = (text: string): string => `<pre tabindex="0">${escapeHtml(text.trimEnd())}</pre>`;
const wrong = (text: string): string => `<p class="wrong">✖ ${escapeHtml(text)}</p>`;

/** Renders one thing: the mapping file's section and its results side by side. */
export function renderThing({ file, things, thing, problems, entries, showValues, version }: PreviewedThing): string {
  const links = things.map((name) => `<a href="/${name}"${name === thing ? ' aria-current="page"' : ''}>${name}</a>`);
  const hidden = showValues ? '' : ' Values are hidden; <code>--show-values</code> shows them.';
  return renderPage('', {
    title: `Puente: ${thing ?? 'mapping'} of ${file}`,
    head: '\n    <script src="/preview.js" defer></script>',
    nav: `\n        ${links.join('\n        ')}`,
    body: `
    <main id="main" class="text wide" data-version="${version}">
      <h1>${escapeHtml(thing ?? 'The mapping file')}</h1>
      <p class="absent">As <code>${escapeHtml(file)}</code> reads it. The page follows the file as you save it.${hidden}</p>
      ${problems.map(wrong).join('\n      ')}
      ${entries.map(renderEntry).join('')}
    </main>`,
  });
}

function renderEntry({ entry, given, trial, problems }: PreviewedEntry): string {
  const name = formatEntry(entry);
  const result = trial ? renderTrial(trial) : '<p class="absent">Not asked yet.</p>';
  return `
      <section id="${name}" aria-labelledby="${name}-title">
        <h2 id="${name}-title">${name}${trial?.isMade ? ` <span class="absent">${trial.milliseconds} ms</span>` : ''}</h2>
        ${renderForm(entry, given)}
        ${problems.length > 0 ? problems.map(wrong).join('') : result}
      </section>`;
}

function renderForm(entry: Entry, given: Given): string {
  const inputs = Object.keys(entry.names).map(
    (name) =>
      `<label>${name} <input name="${name}" value="${escapeHtml(String(given[name] ?? ''))}" autocomplete="off"></label>`,
  );
  if (inputs.length === 0) return '';
  const verb = entry.isChange ? 'What would be sent?' : 'Ask';
  return `<form method="post" action="/${entry.thing}/${entry.name}">${inputs.join(' ')} <button>${verb}</button></form>`;
}

function renderTrial({ isMade, exchanges, gives, fails, invalidValues, hint }: Trial): string {
  const sent = exchanges.map((each) => pre(each.sent)).join('');
  if (!isMade) return `<h3>Would send</h3>${sent}`;
  const answers = exchanges.map(
    ({ said, answer }) => `${said === '' ? '' : `<p>${escapeHtml(said)}</p>`}${pre(answer)}`,
  );
  const notes = [
    ...(fails === undefined ? [] : [wrong(`fails: ${fails}`)]),
    ...invalidValues.map((each) => wrong(`does not fit: ${each}`)),
    ...(hint === undefined ? [] : [wrong(hint)]),
  ];
  return `<div class="sides">
          <div><h3>Sent</h3>${sent || '<p class="absent">Nothing: what is asked for cannot exist there.</p>'}</div>
          <div><h3>Answer</h3>${answers.join('')}</div>
          <div><h3>Record</h3>${notes.join('')}${gives === undefined ? '' : pre(gives)}</div>
        </div>`;
}

/** Reloads the page when the file is saved, and reports the end of the preview. */
export const previewScript = `
setInterval(async () => {
  try {
    const version = await (await fetch('/version')).text();
    if (document.querySelector('main').dataset.version !== version) {
      const text = await (await fetch(location.href)).text();
      const next = new DOMParser().parseFromString(text, 'text/html');
      for (const name of ['main', 'nav']) document.querySelector(name).replaceWith(next.querySelector(name));
    }
    document.getElementById('gone')?.remove();
  } catch {
    if (document.getElementById('gone')) return;
    const gone = Object.assign(document.createElement('p'), { id: 'gone', className: 'wrong', role: 'alert' });
    gone.textContent = '✖ The preview has ended.';
    document.querySelector('main').prepend(gone);
  }
}, 1000);
`.trimStart();
