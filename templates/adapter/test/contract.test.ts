import test from 'node:test';
import { createPortsSubject, describeContract } from 'puente/contract';
import adapter from '../src/index.ts';
import { fixtures, institution, settings } from './fixtures.ts';

const start = async () => createPortsSubject({ ports: await adapter.offer(settings, institution, {}), fixtures });
await describeContract(test, start);
