import { test } from '@jest/globals';
import { readRandomPages } from '../support/random-pages.ts';

// npm run test:live, beside the contract. What it reads it writes itself, without a login.
const { FHIR_LIVE_URL: baseUrl = '', FHIR_LIVE_PAGES: pages = '1000' } = process.env;
const needsLogin = Boolean(process.env.FHIR_LIVE_TOKEN ?? process.env.FHIR_LIVE_TOKEN_URL);

(needsLogin ? test.skip : test)(
  `${pages} pages of random lists, sizes, orders and ties have every row once`,
  async () => {
    await readRandomPages(baseUrl, Number(pages));
  },
  900_000,
);
