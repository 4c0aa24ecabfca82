import { explainProblem, type Operation, type ProblemCode, problemCodes, problems, scopes } from '../../api/index.ts';
import { modules } from './assets.ts';
import type { Home } from './home.ts';
import { escapeHtml, renderBlocks, renderProse } from './html.ts';
import { renderPage } from './layout.ts';
import { renderOperation } from './operation.ts';
import { listOperations, listProblems, type PublishedDocument, resolve } from './published-document.ts';

/** The page of all operations: whole and readable as it is; scripts add the search, the forms and the requests. */
export function renderOperations(home: Home, document: PublishedDocument): string {
  const { basePath, institution, adapters, operations } = home;
  const name = institution.name ?? 'this institution';
  const isSandbox = adapters.every((adapter) => adapter === 'memory');
  return renderPage(basePath, {
    title: `Operations of ${name}: ${document.info.title}`,
    head: `
    <link rel="stylesheet" href="${escapeHtml(basePath)}/docs/assets/operations.css">
    ${modules.map((file) => `<link rel="modulepreload" href="${escapeHtml(basePath)}/docs/assets/${file}">`).join('')}
    <script type="module" src="${escapeHtml(basePath)}/docs/assets/main.js"></script>`,
    tools: tokenField,
    body: `
    <div class="frame" data-base="${escapeHtml(basePath)}"${isSandbox ? '' : ` data-institution="${escapeHtml(name)}"`}>
      <nav id="menu" aria-label="Operations">${renderMenu(basePath, document)}</nav>
      <main id="main" tabindex="-1">
        <section class="text" id="introduction">
          <h1>${escapeHtml(document.info.title)}</h1>
          <p class="lead">${renderLead(name, isSandbox)}</p>
          ${renderBlocks(document.info.description, 2)}
          ${renderScopes()}
        </section>
        ${document.tags.map((tag) => renderTag(document, tag, operations)).join('')}
        ${renderProblemList(basePath, document)}
      </main>
    </div>
    <p id="said" class="unseen" role="status"></p>
    <dialog id="explanation" aria-label="Problem"></dialog>`,
  });
}

/** Where the requests of the forms go, and what they need. */
const renderLead = (name: string, isSandbox: boolean): string =>
  isSandbox
    ? 'This gateway serves an invented institution, in memory: change what you like, a restart brings all back.<span class="try"> Paste the token that its start printed into the field above; every operation has a form with values to begin with.</span>'
    : `This gateway serves ${escapeHtml(name)}: what a request changes is changed.<span class="try"> Paste a token of the institution at the top; every operation has a form.</span>`;

const tokenField = `
      <div class="token try">
        <label for="token">Token</label>
        <input id="token" type="password" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="paste it here" aria-describedby="token-hint">
        <button type="button" id="token-show" aria-label="Show the token" aria-pressed="false" aria-controls="token">Show</button>
        <span id="token-hint" class="hint" role="status">Kept for this tab only.</span>
      </div>
      <button type="button" id="menu-button" class="try" aria-expanded="false" aria-controls="menu">Operations</button>`;

function renderMenu(basePath: string, document: PublishedDocument): string {
  const groups = document['x-tagGroups'].map(
    ({ name, tags }) => `<h2>${escapeHtml(name)}</h2>${tags.map((tag) => renderMenuTag(document, tag)).join('')}`,
  );
  return `
        <div class="search try" role="search"><label for="search">Search operations <kbd>/</kbd></label><input id="search" type="search" autocomplete="off" spellcheck="false"><p id="found" role="status"></p></div>
        <ul class="pages"><li><a href="#introduction">Introduction</a></li><li><a href="#problems">Problems</a></li><li><a href="${escapeHtml(basePath)}/openapi.json">openapi.json</a></li></ul>
        ${groups.join('')}`;
}

const renderMenuTag = (document: PublishedDocument, tag: string): string =>
  `<section><h3><a href="#${toTagId(tag)}">${escapeHtml(tag)}</a></h3><ul>${listOperations(document, tag)
    .map(
      ({ operationId, method, summary, ...operation }) =>
        `<li><a href="#${operationId}"${operation['x-not-offered'] ? ' class="absent"' : ''}><span>${escapeHtml(summary)}</span> <span class="method ${method.toLowerCase()}">${method}</span></a></li>`,
    )
    .join('')}</ul></section>`;

const toTagId = (tag: string): string => `tag-${tag.toLowerCase().replaceAll(/\W+/g, '-')}`;

function renderTag(
  document: PublishedDocument,
  { name, description }: { name: string; description: string },
  operations: readonly Operation[],
): string {
  const fails = new Map<string, readonly ProblemCode[]>(operations.map(({ name, fails = [] }) => [name, fails]));
  return `
<section class="tag" aria-labelledby="${toTagId(name)}">
  <h2 id="${toTagId(name)}">${escapeHtml(name)}</h2>
  <p>${renderProse(description)}</p>
  ${listOperations(document, name)
    .map((operation) => renderOperation(document, operation, fails.get(operation.operationId) ?? []))
    .join('')}
</section>`;
}

const renderScopes = (): string => `
          <h2 id="scopes">Scopes</h2>
          <dl>${Object.entries(scopes)
            .map(([scope, meaning]) => `<dt><code>${scope}</code></dt><dd>${escapeHtml(meaning)}</dd>`)
            .join('')}</dl>`;

/** Every problem once, with an example of its answer. */
function renderProblemList(basePath: string, document: PublishedDocument): string {
  const all = [
    ...Object.values(document.components.responses ?? {}),
    ...Object.values(document.paths).flatMap((path) =>
      Object.values(path).flatMap(({ responses }) => Object.values(responses)),
    ),
  ];
  const examples = new Map(all.flatMap((response) => listProblems(resolve(document.components.responses, response))));
  const sorted = problemCodes.toSorted((a, b) => problems[a].status - problems[b].status);
  return `
<section class="text" aria-labelledby="problems">
  <h2 id="problems">Problems</h2>
  <p>Every error response is <code>application/problem+json</code> (RFC 9457). Programs should decide by its <code>code</code>, which is stable.</p>
  ${sorted.map((code) => renderProblem(basePath, code, examples.get(code))).join('')}
</section>`;
}

const renderProblem = (basePath: string, code: ProblemCode, example: unknown): string => `
  <section class="explained" id="problem-${code}">
    <h3>${problems[code].status} ${escapeHtml(problems[code].title)}</h3>
    <p><a href="${escapeHtml(basePath)}/problems/${code}"><code>${code}</code></a></p>
    <p>${renderProse(explainProblem(code))}</p>
    ${example === undefined ? '' : `<pre><code>${escapeHtml(JSON.stringify(example, null, 2))}</code></pre>`}
  </section>`;
