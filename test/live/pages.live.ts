import { test } from '@jest/globals';
import { readLiveServer } from '../support/live-server.ts';
import { readRandomPages } from '../support/random-pages.ts';

// npm run test:live, beside the contract. What it reads it writes itself.
const { FHIR_LIVE_PAGES: pages = '1000' } = process.env;

test(`${pages} pages of random lists, sizes, orders and ties have every row once`, async () => {
  await readRandomPages(readLiveServer(), Number(pages));
}, 900_000);
