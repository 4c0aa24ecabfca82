/**
 * A request, as the page shows and sends it.
 * @typedef {object} ApiRequest
 * @property {string} method
 * @property {string} path below the base address, encoded, with its query
 * @property {boolean} authorized whether it carries the token
 * @property {boolean} write whether it carries an `Idempotency-Key`
 * @property {string} key the `Idempotency-Key`, or one to show where a program would make its own
 * @property {boolean} keyChosen whether the caller chose that key
 * @property {unknown} [body] JSON, or a text that is none
 */

/** Encodes all but what RFC 3986 leaves unreserved, so that no shell and no string literal finds anything of its own. */
const encode = (/** @type {string} */ text) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * The path of a request: the template with its parameters, and the query.
 * @param {string} template
 * @param {Readonly<Record<string, string>>} params
 * @param {readonly (readonly [name: string, value: string])[]} query
 */
export function buildPath(template, params, query) {
  const path = template.replace(/\{([^}]+)\}/g, (_, name) => encode(params[name] ?? ''));
  const given = query.map(([name, value]) => `${encode(name)}=${encode(value)}`);
  return given.length === 0 ? path : `${path}?${given.join('&')}`;
}

/**
 * A command that sends the request; the token is in `$TOKEN`, and the address in `$PUENTE_URL` unless it is given.
 * @param {ApiRequest} request
 * @param {string} [base]
 */
export function toCurl({ method, path, authorized, write, key, body }, base = '$PUENTE_URL') {
  const quote = (/** @type {string} */ text) => `'${text.replaceAll("'", "'\\''")}'`;
  return [
    `curl -sS ${method === 'GET' ? '' : `-X ${method} `}"${base}${path}"`,
    ...(authorized ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(write ? [`-H ${quote(`Idempotency-Key: ${key}`)}`] : []),
    ...(body === undefined
      ? []
      : [
          "-H 'Content-Type: application/json'",
          `-d ${quote(typeof body === 'string' ? body : JSON.stringify(body, null, 2))}`,
        ]),
  ].join(' \\\n  ');
}

/**
 * A program in TypeScript or JavaScript that needs nothing but the runtime.
 * @param {ApiRequest} request
 * @param {string} [base]
 */
export function toTypeScript({ method, path, authorized, write, key, keyChosen, body }, base) {
  const variable = (/** @type {string} */ name) => `\${process.env.${name}}`;
  const headers = [
    ...(authorized ? [`Authorization: \`Bearer ${variable('TOKEN')}\``] : []),
    ...(write ? [`'Idempotency-Key': ${keyChosen ? JSON.stringify(key) : 'crypto.randomUUID()'}`] : []),
    ...(body === undefined ? [] : ["'Content-Type': 'application/json'"]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0 ? [] : ['  headers: {', ...headers.map((line) => `    ${line},`), '  },']),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${toLiteral(body, inTypeScript, '  ')}),`]),
  ];
  const url = `\`${base ?? variable('PUENTE_URL')}${path}\``;
  const call = options.length === 0 ? `fetch(${url})` : `fetch(${url}, {\n${options.join('\n')}\n})`;
  return `const response = await ${call};\nconsole.log(response.status, await response.json());`;
}

/**
 * A program in Python with `requests`.
 * @param {ApiRequest} request
 * @param {string} [base]
 */
export function toPython({ method, path, authorized, write, key, keyChosen, body }, base) {
  const ownKey = write && !keyChosen;
  const headers = [
    ...(authorized ? [`"Authorization": f"Bearer {os.environ['TOKEN']}"`] : []),
    ...(write ? [`"Idempotency-Key": ${keyChosen ? JSON.stringify(key) : 'str(uuid.uuid4())'}`] : []),
  ];
  const usesEnvironment = authorized || base === undefined;
  return [
    ...(usesEnvironment ? ['import os'] : []),
    ...(ownKey ? ['import uuid'] : []),
    ...(usesEnvironment || ownKey ? [''] : []),
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    base === undefined ? `    f"{os.environ['PUENTE_URL']}${path}",` : `    "${base}${path}",`,
    ...(headers.length === 0 ? [] : ['    headers={', ...headers.map((line) => `        ${line},`), '    },']),
    ...(body === undefined ? [] : [`    json=${toLiteral(body, inPython, '    ')},`]),
    '    timeout=30,',
    ')',
    'print(response.status_code, response.json())',
  ].join('\n');
}

/** @typedef {{ indent: string, words: ReadonlyMap<unknown, string>, key: (name: string) => string }} Syntax */

/** @type {Syntax} */
const inTypeScript = {
  indent: '  ',
  words: new Map(),
  key: (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)),
};

/** @type {Syntax} */
const inPython = {
  indent: '    ',
  words: new Map([
    [null, 'None'],
    [true, 'True'],
    [false, 'False'],
  ]),
  key: (name) => JSON.stringify(name),
};

/**
 * A JSON value as a literal of a language.
 * @param {unknown} value
 * @param {Syntax} syntax
 * @param {string} margin
 * @returns {string}
 */
function toLiteral(value, syntax, margin) {
  if (typeof value !== 'object' || value === null) return syntax.words.get(value) ?? JSON.stringify(value);
  const inner = margin + syntax.indent;
  const lines = Array.isArray(value)
    ? value.map((each) => toLiteral(each, syntax, inner))
    : Object.entries(value).map(([name, each]) => `${syntax.key(name)}: ${toLiteral(each, syntax, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (lines.length === 0) return `${open}${close}`;
  return `${open}\n${lines.map((line) => `${inner}${line},\n`).join('')}${margin}${close}`;
}
