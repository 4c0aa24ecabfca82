import { readFileSync } from 'node:fs';
import { ServerResponse } from 'node:http';
import { describe, expect, jest, test } from '@jest/globals';
import request from 'supertest';
import { operations, problemCodes, problems } from '../../src/api/index.ts';
import { buildOpenApiDocument } from '../../src/api/openapi.ts';
import { getTag } from '../../src/api/openapi-operation.ts';
import { home, serveDocumentation } from '../support/documentation.ts';

const published = (basePath: string) => buildOpenApiDocument(operations, { ...home, basePath });

/** What a page names beyond itself. */
const findReferences = (html: string): string[] =>
  [...html.matchAll(/\b(?:src|href)="([^"#][^"]*)"/g)].map((match) => match[1] as string);

describe.each(['', '/puente'])('the documentation below "%s"', (root) => {
  const app = serveDocumentation({ basePath: root });

  test('its root says what this is, in front of whom, and what is offered', async () => {
    const { status, text } = await request(app).get(`${root}/`);
    expect(status).toBe(200);
    for (const said of ['Clínica &quot;&lt;del&gt;&quot; Puente', 'Puente 1.2.3', 'America/Montevideo', 'fhir, local'])
      expect(text).toContain(said);
    expect(text).toContain(`${operations.length - 1} of ${operations.length} operations`);
    expect(text.match(/not offered/g)).toHaveLength(1);
    for (const operation of operations) {
      const tag = getTag(operation).toLowerCase().replaceAll(' ', '-');
      expect(text).toContain(`href="${root}/docs#tag/${tag}/${operation.name}"`);
      expect(text).toContain(`<code>${operation.route}</code>`);
    }
  });

  test('its root says which requests need a token', async () => {
    const readRoot = async (anonymousGroupA: boolean) =>
      (await request(serveDocumentation({ basePath: root, anonymousGroupA })).get(`${root}/`)).text;
    expect(await readRoot(false)).toContain('Requests need a token');
    expect(await readRoot(true)).toContain('Requests outside of Group A need a token');
  });

  test.each(['/', '/docs', '/problems', '/problems/slot_taken'])(
    '%s names nothing outside of this gateway',
    async (path) => {
      const { status, text } = await request(app).get(root + path);
      expect(status).toBe(200);
      expect(findReferences(text).length).toBeGreaterThan(3);
      for (const reference of findReferences(text)) expect(reference).toMatch(new RegExp(`^${root}/([a-z]|$)`));
      expect(text).not.toMatch(/https?:|<style|<script>|\bon\w+=|style=/);
    },
  );

  test('everything that a page names is there', async () => {
    const pages = await Promise.all(['/', '/docs', '/problems'].map((path) => request(app).get(root + path)));
    for (const reference of new Set(pages.flatMap(({ text }) => findReferences(text)))) {
      expect([reference, (await request(app).get(reference)).status]).toEqual([reference, 200]);
    }
  });

  test('the document is served as JSON, to pages of this origin only', async () => {
    const answer = await request(app).get(`${root}/openapi.json`).set('Origin', 'https://elsewhere.example');
    expect(answer.type).toBe('application/json');
    expect(answer.body).toEqual(JSON.parse(JSON.stringify(published(root))));
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    expect(answer.headers['cross-origin-resource-policy']).toBe('same-origin');
  });

  test('the page of every problem says its status, its code and its title', async () => {
    for (const code of problemCodes) {
      const { status, text } = await request(app).get(`${root}/problems/${code}`);
      expect(status).toBe(200);
      expect(text).toContain(`<code>${code}</code>`);
      expect(text).toContain(`<dd>${problems[code].status}</dd>`);
      expect(text).toContain(`<h1>${problems[code].title}</h1>`);
    }
  });
});

describe('the documentation', () => {
  const app = serveDocumentation({ basePath: '' });

  test.each([
    ['/docs', "style-src 'self' 'unsafe-inline'", "img-src 'self' data:"],
    ...[
      '/',
      '/docs/assets/scalar.js',
      '/docs/assets/reference.js',
      '/problems',
      '/problems/validation',
      '/openapi.json',
    ].map((path) => [path, "style-src 'self'", "img-src 'self'"] as const),
  ])(
    '%s allows the browser nothing but this origin, and no inline script; Scalar alone makes styles and images in them',
    async (path, styles, images) => {
      const { headers } = await request(app).get(path);
      expect(headers['content-security-policy']?.split(';')).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        styles,
        images,
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ]);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['x-frame-options']).toBe('DENY');
    },
  );

  test.each([
    '/problems/no_such_problem',
    '/problems/__proto__',
    '/problems/%3Cscript%3E',
    '/docs/assets/',
    '/docs/assets/index.html',
    '/docs/assets/..%2fpackage.json',
    '/docs/assets/package.json',
    '/docs/assets/__proto__',
    '/docs/assets/reference.ts',
  ])('%s is not there', async (path) => {
    const { status, text } = await request(app).get(path);
    expect(status).toBe(404);
    expect(text).not.toContain('<script>');
  });

  test('what a problem means is text, not markup', async () => {
    const { text } = await request(app).get('/problems/validation');
    expect(text).toContain('<code>errors</code>');
    expect(text).not.toContain('`');
  });

  test('the document is made once a day, however often it is read', async () => {
    let made = 0;
    const counted = serveDocumentation({ basePath: '' }, () => ({ made: ++made }));
    const bodies = [await request(counted).get('/openapi.json'), await request(counted).get('/openapi.json')];
    expect(bodies.map(({ body }) => body)).toEqual([{ made: 1 }, { made: 1 }]);
  });

  test.each(['/docs', '/docs/assets/reference.js', '/problems/validation', '/openapi.json'])(
    '%s comes as gzip to who accepts it, plain to others, and not again to who has it',
    async (path) => {
      const plain = await request(app).get(path).set('Accept-Encoding', 'identity');
      const zipped = await request(app).get(path).set('Accept-Encoding', 'gzip');
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(zipped.headers['content-encoding']).toBe('gzip');
      expect(zipped.text).toBe(plain.text);
      expect(zipped.headers.vary).toBe('Accept-Encoding');
      const again = await request(app).get(path).set('If-None-Match', `${zipped.headers.etag}`);
      expect([again.status, again.text]).toEqual([304, '']);
    },
  );

  test('Scalar is the file of the installed package, in the version that is declared', async () => {
    const folder = 'node_modules/@scalar/api-reference';
    const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')).version).toBe(
      devDependencies['@scalar/api-reference'],
    );
    const { type, text } = await request(app).get('/docs/assets/scalar.js');
    expect(type).toBe('text/javascript');
    expect(text.slice(0, 200)).toContain('Copyright (c) 2023-present Scalar');
    expect(text.endsWith(readFileSync(`${folder}/dist/browser/standalone.js`, 'utf8'))).toBe(true);
  });

  test('its answers share their bytes', async () => {
    const end = jest.spyOn(ServerResponse.prototype, 'end');
    for (let i = 0; i < 2; i++) await request(app).get('/openapi.json');
    const [first, second] = end.mock.calls.map(([body]) => body as unknown);
    end.mockRestore();
    expect(first).toBeInstanceOf(Buffer);
    expect(second).toBe(first);
  });
});
