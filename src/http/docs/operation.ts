import { hash } from 'node:crypto';
import { explainProblem, type ProblemCode, problemCodes } from '../../api/index.ts';
import { renderAnswerFields } from './answer-fields.ts';
import { buildPath, toCurl, toPython, toTypeScript } from './browser/snippets.js';
import { escapeHtml, renderProse } from './html.ts';
import {
  listProblems,
  type Parameter,
  type PlacedOperation,
  type PublishedDocument,
  type Response,
  resolve,
} from './published-document.ts';
import { createRequestFields } from './request-fields.ts';

const places = [
  ['path', 'Path'],
  ['query', 'Query'],
  ['header', 'Headers'],
] as const;

const languages = [
  ['curl', 'curl', toCurl],
  ['typescript', 'TypeScript', toTypeScript],
  ['python', 'Python', toPython],
] as const;

/** One operation: what it is, its form, what it answers and how it fails, and the request of its example in three languages. */
export function renderOperation(
  document: PublishedDocument,
  operation: PlacedOperation,
  fails: readonly ProblemCode[],
): string {
  const { operationId: id, method, path, summary } = operation;
  const parameters = (operation.parameters ?? []).map((each) => resolve(document.components.parameters, each));
  const responses = Object.entries(operation.responses).map(
    ([status, response]) => [status, resolve(document.components.responses, response)] as const,
  );
  const [status, success] = responses.find(([, response]) => listProblems(response).length === 0) ?? ['', {}];
  const isWrite = parameters.some(({ name }) => name === 'Idempotency-Key');
  const isAuthorized = (operation.security ?? []).length > 0;
  const title = escapeHtml(summary);
  return `
<article class="operation" id="${id}" aria-labelledby="${id}-title" data-method="${method}" data-path="${escapeHtml(path)}"${isAuthorized ? ' data-authorized' : ''}${isWrite ? ' data-write' : ''}>
  <h3 id="${id}-title"><a href="#${id}">${title}</a></h3>
  <p class="route"><span class="method ${method.toLowerCase()}">${method}</span> <code>${escapeHtml(path)}</code></p>
  <ul class="facts">${renderFacts(operation, isWrite, isAuthorized)}</ul>
  <div class="columns">
    <div class="reference">
      ${renderDescription(operation)}
      <form id="${id}-form" class="request" autocomplete="off">${renderForm(document, operation, parameters)}</form>
    </div>
    <div class="panel">
      <div class="code snippets" role="group" aria-label="Request: ${title}">
        <div class="bar try"><div class="languages" role="group" aria-label="Language">${languages.map(([name, label]) => `<button type="button" data-language="${name}">${label}</button>`).join('')}</div><button type="button" class="copy">Copy</button></div>
        ${renderSnippets(operation, parameters, isWrite, isAuthorized)}
      </div>
      <div class="send try"><button class="primary" form="${id}-form">Send${isWrite ? `: ${nameChange(operation)} data` : ''}</button></div>
      <div class="code live" role="group" aria-label="Answer: ${title}" hidden></div>
      ${renderExample(status, success)}
    </div>
    <div class="outcome">
      ${renderSuccess(document, status, success)}
      ${renderProblems(responses, fails)}
    </div>
  </div>
</article>`;
}

function renderFacts(operation: PlacedOperation, isWrite: boolean, isAuthorized: boolean): string {
  const scope = operation['x-required-scope'];
  return [
    ...(operation['x-not-offered'] ? ['<strong class="absent">This institution does not offer it: 501</strong>'] : []),
    ...(scope ? [`Scope <code>${escapeHtml(scope)}</code>`] : []),
    ...(isAuthorized ? [] : ['No token needed']),
    ...(isWrite ? [`<span class="changes">${capitalize(nameChange(operation))} data</span>`] : []),
    `<code>${operation.operationId}</code>`,
  ]
    .map((fact) => `<li>${fact}</li>`)
    .join('');
}

const nameChange = ({ method }: PlacedOperation): string => (method === 'DELETE' ? 'deletes' : 'changes');
const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const additionMark = 'Addition of this gateway: ';

/** The description without what the facts say already. */
function renderDescription({ description }: PlacedOperation): string {
  const paragraphs = description
    .split('\n\n')
    .filter(
      (text) => !/^(Requires the scope|This institution requires no token|\*\*This institution does not)/.test(text),
    );
  const additions = paragraphs.filter((text) => text.startsWith(additionMark));
  const others = paragraphs.filter((text) => !additions.includes(text));
  const list = additions.map((text) => `<li>${renderProse(text.slice(additionMark.length))}</li>`);
  return `${others.map((text) => `<p>${renderProse(text)}</p>`).join('')}${
    list.length > 0 ? `<div class="additions"><p>Additions of this gateway</p><ul>${list.join('')}</ul></div>` : ''
  }`;
}

function renderForm(document: PublishedDocument, operation: PlacedOperation, parameters: readonly Parameter[]): string {
  const fields = createRequestFields(document);
  const { operationId, requestBody } = operation;
  const groups = places.map(([place, label]) => {
    const there = parameters.filter((parameter) => parameter.in === place);
    if (there.length === 0) return '';
    return `<h4>${label}</h4><div class="fields" data-in="${place}">${fields.renderParameters(operationId, there)}</div>`;
  });
  const { schema, example } = requestBody?.content['application/json'] ?? {};
  if (!schema) return groups.join('');
  const body = `<h4>Body</h4><div data-in="body">${fields.renderBody(operationId, schema, example)}</div>
    <details class="try"><summary>Body as JSON</summary><textarea class="control json" rows="8" spellcheck="false" aria-label="Body as JSON">${escapeHtml(JSON.stringify(example, null, 2))}</textarea><p class="hint json-fault" role="status"></p></details>`;
  return groups.join('') + body;
}

function renderSuccess(document: PublishedDocument, status: string, { headers = {}, content = {} }: Response): string {
  const schema = content['application/json']?.schema;
  const fields = schema && renderAnswerFields(document, schema);
  const described = Object.entries(headers)
    .filter(([name]) => name !== 'X-Request-Id')
    .map(([name, header]) => [name, resolve(document.components.headers, header).description ?? ''] as const)
    .map(([name, text]) => `<li><code>${name}</code><p class="hint">${renderProse(text)}</p></li>`);
  if (!fields && described.length === 0) return '';
  return `<details class="answer"><summary>Answer <code>${status}</code>: fields${described.length > 0 ? ' and headers' : ''}</summary>
    ${fields ?? ''}${described.length > 0 ? `<p class="hint">Headers</p><ul class="answer-fields">${described.join('')}</ul>` : ''}</details>`;
}

/** Those that say something of this operation with what they mean, and the others by their names. */
function renderProblems(responses: readonly (readonly [string, Response])[], fails: readonly ProblemCode[]): string {
  const codes = responses.flatMap(([status, response]) => listProblems(response).map(([code]) => ({ status, code })));
  const own = codes.filter(({ code }) => [...fails, 'not_found', 'validation'].includes(code));
  const others = codes.filter((each) => !own.includes(each));
  const link = ({ status, code }: { status: string; code: string }) =>
    `<a class="problem" href="#problem-${code}"><b>${status}</b> <code>${code}</code></a>`;
  const explanations = new Map<string, string>(problemCodes.map((code) => [code, explainProblem(code)]));
  const list = own.map(
    (each) => `<li>${link(each)} <p class="hint">${renderProse(explanations.get(each.code) ?? '')}</p></li>`,
  );
  return `<section class="problems"><h4>Problems</h4>${list.length > 0 ? `<ul>${list.join('')}</ul>` : ''}
    <details><summary>${own.length > 0 ? 'And' : 'Only'} what ${own.length > 0 ? 'can happen to many requests' : 'can happen to any request'}: ${others.length}</summary><ul class="others">${others.map((each) => `<li>${link(each)}</li>`).join('')}</ul></details></section>`;
}

function renderSnippets(
  { operationId, method, path, requestBody }: PlacedOperation,
  parameters: readonly Parameter[],
  write: boolean,
  authorized: boolean,
): string {
  const list = (place: string) =>
    parameters
      .filter((each) => each.in === place && each.example !== undefined)
      .map(({ name, example }) => [name, String(example)] as const);
  const body = requestBody?.content['application/json']?.example;
  const request = {
    method,
    path: buildPath(path, Object.fromEntries(list('path')), list('query')),
    authorized,
    write,
    key: makeKey(operationId),
    keyChosen: false,
    ...(body !== undefined && { body }),
  };
  return languages
    .map(
      ([name, label, write]) =>
        `<pre data-snippet="${name}" data-label="${label}"><code>${escapeHtml(write(request))}</code></pre>`,
    )
    .join('');
}

/** A UUID that is the same for the same operation, so that the page is. */
const makeKey = (operationId: string): string =>
  hash('sha1', operationId).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5');

function renderExample(status: string, { content = {} }: Response): string {
  const example = content['application/json']?.example;
  const text = example === undefined ? '{}' : JSON.stringify(example, null, 2);
  return `<div class="code example"><div class="bar"><span>Answer <b class="ok">${status}</b>, for example</span></div><pre><code>${escapeHtml(text)}</code></pre></div>`;
}
