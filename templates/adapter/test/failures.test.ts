import assert from 'node:assert/strict';
import test, { afterEach } from 'node:test';
import nock from 'nock';
import { createPortsSubject } from 'puente/contract';
import adapter from '../src/index.ts';
import { fixtures, institution, settings } from '../support/fixtures.ts';

nock.disableNetConnect();
afterEach(() => nock.cleanAll());

const ports = await adapter.offer(settings, institution, {});
const { createCall } = createPortsSubject({ ports, fixtures });

test('a system that cannot be reached is unavailable, and no empty list', async () => {
  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  nock(settings.url).get('/practitioners').replyWithError(refused);
  await assert.rejects(ports.practitioners.list(createCall()), { kind: 'unavailable' });
});

test('an answer that is not documented is a bad answer', async () => {
  nock(settings.url).get('/practitioners').reply(200, { error: 'log in again' });
  await assert.rejects(ports.practitioners.list(createCall()), { kind: 'bad_answer' });
});
