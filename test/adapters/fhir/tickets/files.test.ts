import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import axios from 'axios';
import type { FhirContext } from '../../../../adapters/fhir/context.ts';
import { TicketFiles } from '../../../../adapters/fhir/tickets/files.ts';
import { makeSettings } from '../../../support/fhir-adapter.ts';
import { callNow } from '../../../support/fhir-calls.ts';

/** Files of a server that has these. */
function openFiles(download: (id: string) => Promise<Uint8Array>): TicketFiles {
  const settings = makeSettings({ url: 'http://fhir.invalid/fhir' });
  return new TicketFiles({ client: { download }, settings } as unknown as FhirContext, axios);
}

test('the files of one answer are fetched four at a time, and each is shown in its place', async () => {
  let running = 0;
  let most = 0;
  const download = async (id: string) => {
    running += 1;
    most = Math.max(most, running);
    await setImmediate();
    running -= 1;
    return Buffer.from(id);
  };
  const readFile = openFiles(download).createReader(callNow());
  const ids = Array.from({ length: 12 }, (_, index) => `file-${index}`);
  const contents = await Promise.all(ids.map((id) => readFile({ url: `Binary/${id}` })));
  expect(most).toBe(4);
  expect(contents.map((content) => Buffer.from(content, 'base64').toString())).toEqual(ids);
});

test('an attachment without content and without a link is no file, and none is told to be left out', async () => {
  const omitted: unknown[] = [];
  const files = openFiles(async () => Buffer.from('a file'));
  const readFile = files.createReader(callNow({ omit: (record) => void omitted.push(record) }));
  expect(await readFile({ contentType: 'application/pdf' })).toBe('');
  expect(omitted).toEqual([]);
});
