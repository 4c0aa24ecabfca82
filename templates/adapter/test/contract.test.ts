import test from 'node:test';
import nock from 'nock';
import { createPortsSubject, describeContract } from 'puente/contract';
import adapter from '../src/index.ts';
import { fixtures, institution, practitioners, settings } from './fixtures.ts';

// nock answers in place of your system; no other request leaves this process.
nock.disableNetConnect();
nock(settings.url)
  .persist()
  .get('/practitioners')
  .replyWithFile(200, practitioners, { 'Content-Type': 'application/json' });

const start = async () => createPortsSubject({ ports: await adapter.offer(settings, institution, {}), fixtures });
await describeContract(test, start);
