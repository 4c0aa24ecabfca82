import { describe, expect, test } from '@jest/globals';
import { findCauseCode, listFrames } from '../../src/toolkit/failures.ts';

/** An error whose message looks like a frame of a stack. */
function makeError(...frames: readonly string[]): Error {
  const error = new TypeError('no visit for\n    at Ana/Muñoz.ts:1:2\n    at ana.ts:3:4');
  error.stack = [`TypeError: ${error.message}`, ...frames.map((frame) => `    at ${frame}`)].join('\n');
  return error;
}

test('the code of an error is that of its innermost cause, also a long one of TLS, and never a text', () => {
  const causedBy = (code: string) => ({ code: 'backend_unavailable', cause: { code } });
  expect(findCauseCode(causedBy('ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC'))).toBe(
    'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC',
  );
  expect(findCauseCode(causedBy('Muñoz is unknown'))).toBe('backend_unavailable');
});

describe('the places of an error', () => {
  test.each([
    ['perform (file:///usr/src/app/src/api/perform.ts:38:20)', 'src/api/perform.ts:38:20'],
    ['async perform (file:///srv/my%20apps/puente/dist/src/api/perform.js:38:20)', 'src/api/perform.js:38:20'],
    ['file:///srv/puente/adapters/fhir/rest/client.ts:9:1', 'adapters/fhir/rest/client.ts:9:1'],
    ['Client.connect (/srv/puente/node_modules/pg/lib/client.js:132:10)', 'pg/lib/client.js:132:10'],
    ['x (/srv/node_modules/a/node_modules/@b/c/index.cjs:1:2)', '@b/c/index.cjs:1:2'],
    ['Timeout._onTimeout (file:///srv/norte/his/index.mjs:12:3)', 'his/index.mjs:12:3'],
  ])('%s', (frame, place) => {
    expect(listFrames(makeError(frame))).toEqual([place]);
  });

  test('are neither lines of its message nor of Node', () => {
    expect(listFrames(makeError('Socket.emit (node:events:509:28)', 'new Promise (<anonymous>)'))).toEqual([]);
    expect(listFrames('    at ana.ts:3:4')).toEqual([]);
  });
});
