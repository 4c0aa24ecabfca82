import { execFile } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, expect } from '@jest/globals';
import { listCommandBlocks } from './support/command-blocks.ts';
import { startGateway } from './support/gateway.ts';
import { testInShells } from './support/shells.ts';

const blocks = listCommandBlocks().filter(({ place }) => place.startsWith('README.md'));
const gateway = await startGateway();
afterAll(() => gateway.stop());

const findBlock = (...words: readonly string[]): string =>
  blocks.find(({ text }) => words.every((word) => text.includes(word)))?.text ?? '';

testInShells(
  'the README books an appointment and cancels it, its blocks pasted as they stand',
  async ({ name, run }) => {
    const ask = findBlock('export TOKEN=')
      .replace('puente_...', gateway.token)
      .replace('http://127.0.0.1:8080', gateway.url);
    const [find, book, cancel] = [findBlock('export DATE='), findBlock('"date": '), findBlock('"canceled"')];
    const paste = async (...texts: readonly string[]) =>
      (await promisify(execFile)(name, [...run, texts.join('\n')])).stdout.split(/(?=HTTP\/1)/);
    const [ana, first, second, ...further] = await paste(ask, find, book, book);
    expect(JSON.parse(ana ?? '')).toMatchObject({ id: 'ana', identifier: 31465466 });
    const [, id] =
      /^HTTP\/1.1 201 Created\r\n.*^Location: \/patients\/ana\/appointments\/(\S+)\r\n/ms.exec(first ?? '') ?? [];
    expect(id).toBeDefined();
    expect(second).toMatch(/^HTTP\/1.1 201 Created\r\n/);
    expect(second).toContain('Idempotency-Replayed: true');
    expect(further).toEqual([]);
    const [, canceled] = await paste(ask, cancel.replace('/...', `/${id}`));
    expect(canceled).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    // The key has the second in which the slot was found. All again is another booking, though the slot is the same.
    await setTimeout(1_100);
    const [, other] = await paste(ask, find, book);
    expect(other).toMatch(/^HTTP\/1.1 201 Created\r\n/);
    expect(other).not.toContain('Idempotency-Replayed');
    await setTimeout(1_100);
  },
  'curl',
);
