import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { operations } from '../../src/api/index.ts';
import { splitCode } from '../../src/http/docs/browser/highlight.js';
import { buildPath, toCurl, toPython, toTypeScript } from '../../src/http/docs/browser/snippets.js';
import { startGateway } from '../support/gateway.ts';

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};
const fromHtml = (html: string): string =>
  html.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? '');

/** Runs all snippets of a language one after another on a fresh sandbox; the statuses of the answers. */
async function runAll(
  language: string,
  toProgram: (snippets: readonly string[]) => readonly [command: string, ...args: string[]],
): Promise<number[]> {
  const gateway = await startGateway();
  try {
    const page = await (await fetch(`${gateway.url}/docs`)).text();
    const found = page.matchAll(new RegExp(`<pre data-snippet="${language}"[^>]*><code>(.*?)</code></pre>`, 'gs'));
    const [command, ...args] = toProgram([...found].map((match) => fromHtml(match[1] ?? '')));
    const env = { PATH: process.env.PATH, PUENTE_URL: gateway.url, TOKEN: gateway.token };
    const { stdout } = await promisify(execFile)(command, args, { env, maxBuffer: 1e8 });
    return [...stdout.matchAll(/^(?:status )?(\d{3})\b/gm)].map((match) => Number(match[1]));
  } finally {
    await gateway.stop();
  }
}

const expected = operations.length + 4;
const isOk = (status: number): boolean => status === 200 || status === 201;
const has = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

describe('the requests on the page of operations', () => {
  test('in TypeScript do what they show, in the sandbox', async () => {
    const statuses = await runAll('typescript', (snippets) => {
      const blocks = snippets.map((snippet) => `{\n${snippet}\n}`);
      return [process.execPath, '--input-type=module', '--eval', blocks.join('\n')];
    });
    expect(statuses).toHaveLength(expected);
    expect(statuses.filter(isOk)).toHaveLength(expected);
  });

  (has('curl', '--version') ? test : test.skip)('in curl do what they show, in the sandbox', async () => {
    const statuses = await runAll('curl', (snippets) => {
      const lines = snippets.map((snippet) => `${snippet} -w '\nstatus %{http_code}\n' -o /dev/null`);
      return ['sh', '-c', lines.join('\n')];
    });
    expect(statuses).toHaveLength(expected);
    expect(statuses.filter(isOk)).toHaveLength(expected);
  });

  (has('python3', '-c', 'import requests') ? test : test.skip)(
    'in Python do what they show, in the sandbox',
    async () => {
      const statuses = await runAll('python', (snippets) => ['python3', '-c', snippets.join('\n')]);
      expect(statuses).toHaveLength(expected);
      expect(statuses.filter(isOk)).toHaveLength(expected);
    },
  );
});

/** What no quoting may let through. */
const hostile = `it's "$HOME" \`id\` \${x} \\ \n %s {y} é 🏥 $(id)`;

describe('a snippet', () => {
  const body = { note: hostile, 'odd key': [true, false, null, 1.5, [], {}] };
  const request = {
    method: 'POST',
    path: buildPath('/patients/{id}/x', { id: hostile }, [['q', hostile]]),
    authorized: true,
    write: true,
    key: hostile.replace('\n', ''),
    keyChosen: true,
    body,
  };

  test('in curl reaches the shell as it stands', async () => {
    const shown = toCurl(request).replace(/^curl -sS/, "printf '%s\\0'");
    const env = { PATH: process.env.PATH, PUENTE_URL: 'https://his.example', TOKEN: 'secret' };
    const { stdout } = await promisify(execFile)('sh', ['-c', shown], { env });
    expect(stdout.split('\0')).toEqual([
      ...['-X', 'POST', `https://his.example${request.path}`, '-H', 'Authorization: Bearer secret'],
      ...['-H', `Idempotency-Key: ${request.key}`, '-H', 'Content-Type: application/json'],
      ...['-d', JSON.stringify(body, null, 2), ''],
    ]);
  });

  test('in TypeScript sends what it shows', async () => {
    const program = `globalThis.fetch = async (url, options) => { console.log(JSON.stringify({ url, ...options })); process.exit(); };
      ${toTypeScript(request)}`;
    const env = { PUENTE_URL: 'https://his.example', TOKEN: 'secret' };
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], { env });
    const sent: { url: string; body: string; headers: object } = JSON.parse((await run).stdout);
    expect(sent.url).toBe(`https://his.example${request.path}`);
    expect(JSON.parse(sent.body)).toEqual(body);
    expect(sent.headers).toMatchObject({ Authorization: 'Bearer secret', 'Idempotency-Key': request.key });
  });

  (has('python3', '--version') ? test : test.skip)('in Python sends what it shows', async () => {
    const stub = `import json, sys, types
def post(url, **given):
    print(json.dumps({"url": url, **given}))
    sys.exit()
sys.modules["requests"] = types.SimpleNamespace(post=post)
`;
    const env = { PATH: process.env.PATH, PUENTE_URL: 'https://his.example', TOKEN: 'secret' };
    const { stdout } = await promisify(execFile)('python3', ['-c', stub + toPython(request)], { env });
    expect(JSON.parse(stdout)).toEqual({
      url: `https://his.example${request.path}`,
      headers: { Authorization: 'Bearer secret', 'Idempotency-Key': request.key },
      json: body,
      timeout: 30,
    });
  });

  test('makes a key of its own where none was chosen, and has none for a read', () => {
    const chosen = { ...request, keyChosen: false };
    expect(toTypeScript(chosen)).toContain('crypto.randomUUID()');
    expect(toPython(chosen)).toContain('str(uuid.uuid4())');
    const { body, ...rest } = request;
    const reading = { ...rest, method: 'GET', write: false };
    for (const write of [toCurl, toTypeScript, toPython])
      expect(write(reading)).not.toMatch(/Idempotency|uuid|json=|-d /);
  });

  test('leaves a parameter that is not given out of the path, and every reserved character encoded', () => {
    expect(buildPath('/a/{b}/{c}', { b: "x/y?z#'()*!" }, [])).toBe('/a/x%2Fy%3Fz%23%27%28%29%2A%21/');
  });

  test.each([toCurl, toTypeScript, toPython])('is colored without a change: %p', (write) => {
    const parts = splitCode(write(request));
    expect(parts.map(([, text]) => text).join('')).toBe(write(request));
    expect(parts.map(([kind]) => kind)).toEqual(expect.arrayContaining(['', 'key', 'string', 'word']));
  });
});
