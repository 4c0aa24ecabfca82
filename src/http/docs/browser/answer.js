import { showCode } from './code-block.js';
import { get, make, makeCopy } from './dom.js';
import { listNextSteps } from './next-steps.js';

/**
 * @typedef {object} Answer
 * @property {Response} response
 * @property {string} text
 * @property {number} milliseconds
 * @property {import('./snippets.js').ApiRequest} request
 * @property {string} curl
 * @property {string} token
 * @property {string} base
 * @property {() => void} repeat sends the same request with the same key
 */

/** The headers that say something of one answer. */
const shownHeaders = [
  'Location',
  'Idempotency-Replayed',
  'Puente-Omitted',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'WWW-Authenticate',
  'Allow',
  'X-Request-Id',
];

/**
 * Shows an answer: its status, its time, the headers that matter, its body, and the command that sends the same.
 * @param {HTMLElement} live
 * @param {Answer} answer
 * @param {import('./request-form.js').RequestForm} form
 */
export function showAnswer(live, answer, form) {
  const { response, text, milliseconds, request, curl, base, repeat } = answer;
  const status = make('b', { class: response.ok ? 'ok' : 'failed' }, `${response.status} ${nameStatus(answer)}`.trim());
  const size = new TextEncoder().encode(text).length;
  const bar = make('div', { class: 'bar' }, status, make('span', {}, `${milliseconds} ms, ${formatSize(size)}`));
  const pretty = prettify(text);
  const copy = make('button', { type: 'button', class: 'copy' }, 'Copy');
  makeCopy(copy, () => pretty);
  bar.append(copy);
  const code = make('code');
  showCode(code, pretty);
  say(`${status.textContent}, ${milliseconds} ms`);
  live.replaceChildren(
    bar,
    ...explain(answer, form),
    listHeaders(response.headers),
    ...listNextSteps(form.operation.id, response.headers.get('Location'), base, parse(text)),
    make('pre', {}, code),
    showSent(curl),
  );
  if (request.write && !isRefused(response.status)) live.append(offerRepetition(repeat));
}

/** Whether the request itself has to be another one; a conflict may pass. @param {number} status */
const isRefused = (status) => status >= 400 && status < 500 && status !== 409;

/** @param {() => void} repeat */
function offerRepetition(repeat) {
  const button = make('button', { type: 'button', class: 'small' }, 'Send again with the same key');
  button.addEventListener('click', repeat);
  return make('p', { class: 'again' }, button);
}

/**
 * Says that no answer came.
 * @param {HTMLElement} live
 * @param {{ message: string, curl: string, repeat?: (() => void) | undefined }} failure
 */
export function showFailure(live, { message, curl, repeat }) {
  const bar = make('div', { class: 'bar' }, make('b', { class: 'failed' }, 'No answer'));
  say('No answer');
  live.replaceChildren(
    bar,
    make('p', { class: 'explained-here' }, `The request could not be sent, or the gateway is not there: ${message}`),
    showSent(curl),
  );
  // It may have been done all the same: with its key it is not done twice.
  if (repeat) live.append(offerRepetition(repeat));
}

/** Says to a screen reader what came, and no more: a body may be long. @param {string} text */
const say = (text) => {
  get(document, '#said', HTMLElement).textContent = text;
};

/** @param {string} curl */
function showSent(curl) {
  const copy = make('button', { type: 'button', class: 'copy' }, 'Copy');
  makeCopy(copy, () => curl);
  const code = make('code');
  showCode(code, curl);
  return make('details', { class: 'sent' }, make('summary', {}, 'What was sent, as curl'), copy, make('pre', {}, code));
}

/**
 * What a problem means, at the fields that it names too.
 * @param {Answer} answer
 * @param {import('./request-form.js').RequestForm} form
 */
function explain({ response, text, request, token }, form) {
  const problem = response.ok ? undefined : parse(text);
  if (typeof problem?.code !== 'string') return [];
  const faults = Array.isArray(problem.errors) ? problem.errors : [];
  const lines = faults.map(({ in: place, at, message }) => {
    const field = form.findField(place, at);
    if (field) form.showFault(field, message);
    return make('li', {}, make('code', {}, `${place} ${at}`), ` ${message}`);
  });
  const link = make('a', { class: 'problem', href: `#problem-${problem.code}` }, make('code', {}, problem.code));
  const detail = make('p', { class: 'explained-here' }, link, ' ', ...splitProse(String(problem.detail ?? '')));
  const hint = request.authorized && response.status === 401 ? [askForToken(token)] : [];
  return [detail, ...hint, ...(lines.length > 0 ? [make('ul', { class: 'faults' }, ...lines)] : [])];
}

/** @param {string} token */
function askForToken(token) {
  const button = make('button', { type: 'button', class: 'small', 'data-to-token': '' }, 'Paste a token');
  button.addEventListener('click', () => get(document, '#token', HTMLElement).focus());
  const why =
    token === ''
      ? 'No token was sent.'
      : 'A gateway that is tried out takes another token after each start: the one it prints.';
  return make('p', { class: 'explained-here' }, `${why} `, button);
}

/** What is between backticks is code. @param {string} text */
const splitProse = (text) => text.split('`').map((part, i) => (i % 2 === 1 ? make('code', {}, part) : part));

/** HTTP/2 has no words for a status, a problem has. @param {Answer} answer */
function nameStatus({ response, text }) {
  const title = response.ok ? undefined : parse(text)?.title;
  return typeof title === 'string' ? title : response.statusText;
}

/** @param {Headers} headers */
function listHeaders(headers) {
  const given = shownHeaders.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [make('dt', {}, name), make('dd', {}, value)];
  });
  return make('dl', { class: 'headers' }, ...given);
}

/** @param {string} text @returns {Record<string, unknown> | undefined} */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param {string} text */
function prettify(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** @param {number} bytes */
const formatSize = (bytes) => (bytes < 1024 ? `${bytes} bytes` : `${(bytes / 1024).toFixed(1)} KiB`);
