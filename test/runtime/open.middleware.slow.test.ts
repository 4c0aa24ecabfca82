import { afterAll, expect, test } from '@jest/globals';
import { ConfigFolder } from '../support/config-file.ts';
import { runPuente, serve, token } from '../support/process.ts';

const folder = new ConfigFolder();
afterAll(() => folder.remove());
const configure = (middleware: string) =>
  folder.write('puente.yaml', JSON.stringify({ http: { middleware: `./${middleware}` } }));

folder.write(
  'middleware.mjs',
  `const add = (req, res, next) => {
    res.set('X-Traced', res.locals.requestId);
    next();
  };
  const block = (req, res, next) => (req.query.blocked ? res.status(403).json({}) : next());
  export default [add, block];`,
);
folder.write('named.mjs', 'export const add = (req, res, next) => next();');

test('a middleware that the configuration names sees every request and may answer it', async () => {
  const running = await serve({ PUENTE_CONFIG: configure('middleware.mjs') });
  const ask = (path: string) =>
    fetch(running.url + path, { headers: { Authorization: `Bearer ${token}`, 'X-Request-Id': 'r1' } });
  const answers = await Promise.all(['/livez', '/patients/ana', '/nowhere', '/livez?blocked=1'].map(ask));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 403]);
  expect(answers.map(({ headers }) => headers.get('x-traced'))).toEqual(['r1', 'r1', 'r1', 'r1']);
  running.signal('SIGTERM');
  expect((await running.ended).code).toBe(0);
});

test.each([
  ['missing.mjs', 'there is no file'],
  ['named.mjs', 'must export an Express middleware, or a list of them, as its default'],
])('a gateway does not start with %s, and check says so too', async (file, problem) => {
  for (const command of ['serve', 'check']) {
    const { code, stderr } = await runPuente([command], { PUENTE_CONFIG: configure(file) });
    expect([code, stderr]).toEqual([78, expect.stringContaining(`http.middleware: ${problem}`)]);
  }
});
