import { jest, test } from '@jest/globals';
import { readLiveServer } from '../support/live-server.ts';
import { bookOffersOfGroupA, bookOffersOfGroupB, publishOddSlots } from '../support/odd-slots.ts';

// npm run test:live, beside the contract. What it books it publishes itself.
jest.setTimeout(120_000);

test.each([bookOffersOfGroupA, bookOffersOfGroupB])(
  'what is offered as clocks go back and at seconds can be booked: %p',
  async (book) => {
    const slots = await publishOddSlots(readLiveServer());
    await book(slots).finally(() => slots.gateway.stop());
  },
);
