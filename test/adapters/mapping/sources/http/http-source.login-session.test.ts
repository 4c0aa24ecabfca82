import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { http, httpChange, httpQuestion } from '../../../../../adapters/mapping/sources/http/schema.ts';
import { openSources } from '../../../../../adapters/mapping/sources/open-sources.ts';
import { type Sigho, startSigho } from '../../../../../examples/mapping-http/system/server.mjs';
import { sourceCall } from '../../../../support/source-call.ts';

process.env.SIGHO_USER = 'puente';
process.env.SIGHO_PASSWORD = 'ñandú & co';
process.env.SIGHO_WRONG = 'wrong';

const login = {
  request: 'POST /entrar',
  form: { usuario: 'env:SIGHO_USER', clave: 'env:SIGHO_PASSWORD' },
  token: 'SESION',
  header: 'X-Sesion',
};
const errors = { code: 'CODIGO', good: [0], meaning: { 4: 'nothing', 98: 'refused', 99: 'session' } };
// Four hundred at once take a busy machine longer than the default.
const settings = { charset: 'ISO-8859-1', answers: 'xml', root: 'RESPUESTA', errors, login, timeout: 60_000 };
const byId = httpQuestion.parse({ request: 'GET /pacientes/:id', records: 'PACIENTE' });

describe('a session at a system that ends it after some requests', () => {
  let sigho: Sigho;
  beforeAll(async () => {
    sigho = await startSigho({ users: { puente: 'ñandú & co' }, sessionRequests: 200 });
  });
  afterAll(() => sigho.close());
  const open = (changes: object = {}) =>
    openSources({ system: 'sigho', http: http.parse({ url: sigho.url, ...settings, ...changes }) });

  test('carries a question, and tells nobody apart from nothing', async () => {
    const question = (await open()).question(byId);
    expect(await question.ask({ id: ['1001'] }, sourceCall())).toEqual([
      expect.objectContaining({ NUMERO: '1001', APENOM: 'FERREYRA, ANA', NRODOC: '31.465.466' }),
    ]);
    expect(await question.ask({ id: ['7'] }, sourceCall())).toEqual([]);
  });

  test('is shared by four hundred questions at once, and renewed when it ends', async () => {
    const question = (await open()).question(byId);
    const answers = await Promise.all(Array.from({ length: 400 }, () => question.ask({ id: ['1001'] }, sourceCall())));
    expect(answers.every(([patient]) => patient?.NUMERO === '1001')).toBe(true);
  });

  test('carries one booking of a slot to its end, and tells nineteen others that it is taken', async () => {
    const sources = await open({ charset: 'ISO-8859-1' });
    const day = (days: number) =>
      new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10).split('-').reverse().join('/');
    const agenda = sources.question(
      httpQuestion.parse({ request: 'GET /agenda', query: { desde: day(1), hasta: day(20) }, records: 'TURNO' }),
    );
    const [slot] = await agenda.ask({}, sourceCall());
    const book = sources.change(
      httpChange.parse({
        request: 'POST /turnos',
        form: { turnos: ':slotIds', paciente: ':patientId' },
        id: 'NUMERO',
        errors: { 4: 'slot_unknown', 12: 'slot_taken' },
      }),
    );
    const values = { slotIds: [String(slot?.CLAVE)], patientId: ['1002'] };
    const results = await Promise.all(Array.from({ length: 20 }, () => book.make(values, [], sourceCall())));
    expect(results.filter((each) => 'id' in each)).toHaveLength(1);
    expect(results.filter((each) => 'meaning' in each && each.meaning === 'slot_taken')).toHaveLength(19);
  });

  test('that is refused is unavailable, and no change was made', async () => {
    const sources = await open({ login: { ...login, form: { ...login.form, clave: 'env:SIGHO_WRONG' } } });
    const failure = { kind: 'unavailable', code: 'backend_auth' };
    await expect(sources.question(byId).ask({ id: ['1001'] }, sourceCall())).rejects.toMatchObject(failure);
    await expect(sources.reach(sourceCall())).rejects.toMatchObject(failure);
    const change = sources.change(httpChange.parse({ request: 'POST /turnos/:id/anular' }));
    await expect(change.make({ id: ['900005'] }, [], sourceCall())).rejects.toMatchObject(failure);
  });

  test('lets the system be reached', async () => {
    await expect((await open()).reach(sourceCall())).resolves.toBeUndefined();
  });

  test('fails at the start when its secret is not set', async () => {
    const form = { ...login.form, clave: 'env:SIGHO_UNSET' };
    await expect(open({ login: { ...login, form } })).rejects.toMatchObject({ setting: 'http.login' });
  });
});
