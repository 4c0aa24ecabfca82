import { describe, expect, test } from '@jest/globals';
import { toChangeStatus, toTicketStatus } from '../../../../adapters/fhir/schema/terminology.ts';

describe('the status of a ticket', () => {
  test.each([
    ['completed', 'completed'],
    ['rejected', 'rejected'],
    ['failed', 'rejected'],
    ['cancelled', 'canceled'],
    ['entered-in-error', 'canceled'],
    ['requested', 'pending'],
    ['ready', 'pending'],
    ['in-progress', 'in_progress'],
    ['on-hold', 'in_progress'],
  ])('%s is %s', (status, expected) => {
    expect(toTicketStatus(status)).toBe(expected);
    expect(toChangeStatus(status)).toBe(expected === 'pending' ? 'in_progress' : expected);
  });
});
