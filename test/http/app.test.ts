import { afterAll, describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import request from 'supertest';
import { type OperationRoute, operations } from '../../src/api/index.ts';
import { addRoutes, checkRequestLine } from '../../src/http/app.ts';
import type { Middleware } from '../../src/http/request.ts';
import { parts } from '../../src/runtime/parts.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { serve } from '../support/listen.ts';
import { send } from '../support/raw-request.ts';

const gateways: RunningGateway[] = [];

afterAll(async () => {
  for (const gateway of gateways) await gateway.stop();
});

/** The application of a gateway, with middleware of the deployer. */
async function create(middleware: readonly Middleware[] = [], basePath = '') {
  let app: Express | undefined;
  const gateway = await startGateway({
    environment: { PUENTE_HTTP_BASE_PATH: basePath },
    rebind: (container) => {
      container.rebind(parts.middleware).toConstantValue(middleware);
      container.onActivation(parts.app, (_, made) => {
        app = made as Express;
        return made;
      });
    },
  });
  gateways.push(gateway);
  return { app: app!, authorization: `Bearer ${gateway.token}` };
}

/** The routes that Express has, as it lists them. */
const listRoutes = (app: Express): string[] =>
  app.router.stack.flatMap(({ route }) =>
    [...new Set(route?.stack.map(({ method }) => method))].map((method) => `${method?.toUpperCase()} ${route?.path}`),
  );

describe('the application of a gateway', () => {
  test.each(['', '/puente'])('has each operation as a route of Express, below "%s"', async (basePath) => {
    const wanted = operations.map(({ route }) =>
      route
        .replace(' ', ` ${basePath}`)
        .replaceAll(/\{(\w+)\}/g, ':$1')
        .replace(/\/$/, ''),
    );
    expect(listRoutes((await create([], basePath)).app)).toEqual(expect.arrayContaining(wanted));
  });

  test('serves an operation without a server of ours', async () => {
    const { app, authorization } = await create();
    const { status, body } = await request(app).get('/patients/ana').set({ authorization });
    expect([status, body.id]).toEqual([200, 'ana']);
    const change = request(app).put('/patients/ana').set({ authorization });
    expect((await change.send({ phone: '+54 11 5555-0000' })).status).toBe(200);
    expect((await request(app).get('/patients/ana')).status).toBe(401);
  });

  test('lets a middleware of the deployer see what comes, set headers and refuse, pages and probes included', async () => {
    const { app, authorization } = await create([
      (req, res, next) => {
        res.set('X-Traced', `${res.locals.requestId} ${req.path}`);
        next();
      },
      (req, res, next) => (req.query.blocked === undefined ? next() : void res.sendStatus(403)),
    ]);
    for (const path of ['/livez', '/docs', '/patients/ana', '/nowhere']) {
      const { headers } = await request(app).get(path).set({ authorization, 'x-request-id': 'r1' });
      expect([headers['x-traced'], headers['x-request-id']]).toEqual([`r1 ${path}`, 'r1']);
    }
    expect((await request(app).get('/patients/ana?blocked').set({ authorization })).status).toBe(403);
  });

  test('answers a problem for what a middleware of the deployer throws', async () => {
    const { app, authorization } = await create([
      () => {
        throw new TypeError('Ana 31465466');
      },
    ]);
    const { status, body } = await request(app).get('/patients/ana').set({ authorization });
    expect([status, body.code]).toEqual([500, 'internal_error']);
  });
});

const pages = ['/', '/docs', '/problems', '/problems/slot_taken', '/openapi.json'];

test.each([
  ['on', 200],
  ['off', 404],
] as const)(
  'with http.docs: %s the pages and the OpenAPI document are %i, and the operations are there',
  async (docs, expected) => {
    const gateway = await startGateway({ environment: { PUENTE_HTTP_DOCS: docs } });
    try {
      for (const path of pages) expect([path, (await gateway.ask('GET', path)).status]).toEqual([path, expected]);
      expect((await gateway.ask('GET', '/patients/ana')).status).toBe(200);
    } finally {
      await gateway.stop();
    }
  },
);

/** Answers with the route and the parameters that Express has found. */
const addTo = (app: Express, routes: readonly OperationRoute[]) =>
  addRoutes(
    app,
    '/base',
    routes.map((route) => ({
      route,
      chain: [(({ params }, res) => void res.json({ route, params })) satisfies Middleware],
    })),
  );

const app = express().enable('case sensitive routing').use(checkRequestLine('/base'));

addTo(app, [
  'GET /patients/{id}',
  'PUT /patients/{patient}',
  'GET /patients/search',
  'POST /patients/',
  'GET /patients/{id}/ticket/',
  'DELETE /patients/{id}/family_group/{member}',
]);

app.use((_req, res) => void res.json('unknown'));

app.use(
  ((error, _req, res, _next) =>
    void res.json(error.details.headers ?? error.code)) satisfies express.ErrorRequestHandler,
);

const url = await serve(app);

const ask = async (method: string, path: string): Promise<unknown> =>
  JSON.parse((await send(url, method, `/base${path}`)).text || 'null');

describe('the routes of an application', () => {
  test.each([
    ['GET', '/patients/ana', 'GET /patients/{id}', { id: 'ana' }],
    ['PUT', '/patients/ana', 'PUT /patients/{patient}', { patient: 'ana' }],
    ['GET', '/patients/search', 'GET /patients/search', {}],
    ['POST', '/patients', 'POST /patients/', {}],
    ['POST', '/patients/', 'POST /patients/', {}],
    ['GET', '/patients/ana/', 'GET /patients/{id}', { id: 'ana' }],
    ['GET', '/patients/ana/ticket', 'GET /patients/{id}/ticket/', { id: 'ana' }],
    ['GET', '/patients/search/ticket/', 'GET /patients/{id}/ticket/', { id: 'search' }],
    ['DELETE', '/patients/a/family_group/b', 'DELETE /patients/{id}/family_group/{member}', { id: 'a', member: 'b' }],
    ['GET', '/%70atients/%73earch', 'GET /patients/search', {}],
    ['GET', '/patients/a%2Fb', 'GET /patients/{id}', { id: 'a/b' }],
    ['GET', '/patients/%252e', 'GET /patients/{id}', { id: '%2e' }],
    ['GET', '/patients/%2e%2e', 'GET /patients/{id}', { id: '..' }],
    ['GET', '/patients/__proto__', 'GET /patients/{id}', { id: '__proto__' }],
  ])('%s %s is %s', async (method, path, route, params) => {
    expect(await ask(method, path)).toEqual({ route, params });
  });

  test.each([
    '/',
    '/patient',
    '/PATIENTS/ana',
    '//patients/ana',
    '/patients//ticket',
    '/patients/ana//',
    '/patients/ana/ticket/x',
  ])('have no %s', async (path) => expect(await ask('GET', path)).toBe('unknown'));

  test.each(['/patients/%', '/nowhere/%zz', '/patients/%ff'])('refuse %s as malformed', async (path) => {
    expect(await ask('GET', path)).toBe('malformed_request');
  });

  test.each(['PATCH', 'OPTIONS', 'TRACE'])('tell of a known path the methods that it takes: %s', async (method) => {
    expect(await ask(method, '/patients/ana')).toEqual({ Allow: 'GET, PUT, HEAD' });
    expect(await ask(method, '/patients')).toEqual({ Allow: 'POST' });
    expect(await ask(method, '/patients/search')).toEqual({ Allow: 'GET, HEAD' });
  });

  test('are not two for one method and path', () => {
    expect(() => addTo(express(), ['GET /patients/{id}', 'GET /patients/{other}/'])).toThrow(
      'get /base/patients/:other',
    );
  });
});
