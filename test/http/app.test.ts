import { afterAll, describe, expect, test } from '@jest/globals';
import type { Express } from 'express';
import request from 'supertest';
import { operations } from '../../src/api/index.ts';
import type { Middleware } from '../../src/http/request.ts';
import { parts } from '../../src/runtime/parts.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';

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
    expect(wanted).toHaveLength(35);
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
