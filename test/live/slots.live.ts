import { test } from '@jest/globals';
import { bookOffersOfGroupA, bookOffersOfGroupB, publishOddSlots } from '../support/odd-slots.ts';

// npm run test:live, beside the contract. What it books it publishes itself, without a login.
const { FHIR_LIVE_URL: baseUrl = '' } = process.env;
const needsLogin = Boolean(process.env.FHIR_LIVE_TOKEN ?? process.env.FHIR_LIVE_TOKEN_URL);

(needsLogin ? test.skip : test).each([bookOffersOfGroupA, bookOffersOfGroupB])(
  'what is offered as clocks go back and at seconds can be booked: %p',
  async (book) => {
    const slots = await publishOddSlots(baseUrl);
    await book(slots).finally(() => slots.gateway.stop());
  },
);
