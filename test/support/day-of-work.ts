import { expect } from '@jest/globals';

/** @throws Error unless this is what a client prints that does the day's work of `examples/client`. */
export function expectDayOfWork(printed: string): void {
  expect(printed.trim().split(/\r?\n/)).toEqual([
    'registered Bruno Sosa',
    'found Ana Ferreyra, born 1985-11-30',
    expect.stringMatching(/^\d+ services, among them ./),
    expect.stringMatching(/^booked \d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}: 201$/),
    'sent again with its key: 201, the same answer',
    'booked once more: 409 slot_taken',
    'it is active',
    'it is canceled',
    expect.stringMatching(/^opened a ticket, 201: \w+$/),
    'coverage ana-osde updated',
  ]);
}
