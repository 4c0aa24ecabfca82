import { describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import type { Route } from '../../src/api/index.ts';
import { addRoutes, checkRequestLine } from '../../src/http/app.ts';
import type { Middleware } from '../../src/http/request.ts';
import { serve } from '../support/listen.ts';
import { send } from '../support/raw-request.ts';

/** Answers with the route and the parameters that Express has found. */
const addTo = (app: Express, routes: readonly Route[]) =>
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
