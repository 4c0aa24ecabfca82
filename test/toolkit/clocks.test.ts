import { describe, expect, test } from '@jest/globals';
import { examineClock } from '../../src/toolkit/clocks.ts';

const now = Date.parse('2026-11-23T15:00:00.000Z');

/** What is found where the clock of the server is so many seconds ahead, and its answer comes after two. */
function examine(seconds: number, { age }: { readonly age?: string } = {}) {
  const date = new Date(now + seconds * 1000).toUTCString();
  return examineClock({ headers: { date, ...(age && { age }) }, sentAt: now - 2000, receivedAt: now });
}

describe('the clock of a server', () => {
  // The header tells whole seconds, and the server may have answered at any moment of the two.
  test.each([0, 30, -30, -33])('agrees with ours when it is %i seconds ahead', (seconds) => {
    expect(examine(seconds)).toEqual({
      check: 'clock',
      ok: true,
      detail: 'the clocks of the server and of this machine agree within 30 seconds',
    });
  });

  test.each([
    [31, '31 seconds ahead of'],
    [-34, '31 seconds behind'],
    [119, '119 seconds ahead of'],
    [120, '2 minutes ahead of'],
    [7199, '120 minutes ahead of'],
    [7200, '2 hours ahead of'],
    [-10_803, '3 hours behind'],
  ])('that is %i seconds ahead is said to be %s this machine’s clock', (seconds, apart) => {
    expect(examine(seconds)).toMatchObject({
      ok: false,
      detail: `the clock of the server is ${apart} this machine’s clock`,
      fix: expect.stringContaining('time server'),
    });
  });

  test('is not behind by the time for which a cache has kept the answer', () => {
    expect(examine(-600, { age: '600' })).toMatchObject({ ok: true });
    expect(examine(-600)).toMatchObject({ ok: false });
  });

  test.each(['soon', '1.5h', '-600'])('is judged without the age of an answer that is the text %s', (age) => {
    expect(examine(0, { age })).toMatchObject({ ok: true });
    expect(examine(60, { age })).toMatchObject({ ok: false, detail: expect.stringContaining('60 seconds ahead of') });
  });

  test('is not judged where the server does not tell its time', () => {
    expect(examineClock({ headers: {}, sentAt: now, receivedAt: now })).toMatchObject({ ok: null });
  });
});
