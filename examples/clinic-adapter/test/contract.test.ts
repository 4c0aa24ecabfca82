import test from 'node:test';
import { createPortsSubject, describeContract } from 'puente/contract';
import adapter from '../src/index.ts';
import { fixtures, institution } from './fixtures.ts';

const start = async () =>
  createPortsSubject({ ports: await adapter.offer(adapter.settings.parse({}), institution, {}), fixtures });
await describeContract(test, start);
