import type { IncomingMessage } from 'node:http';
import { Rejection } from '../../api/index.ts';

/** How slow a body may be: after some milliseconds so many bytes in each further second. */
export interface Pace {
  readonly grace: number;
  readonly bytesPerSecond: number;
}

/** Slower than any line on which a file of some megabytes would be sent. */
export const slowest: Pace = { grace: 5_000, bytesPerSecond: 4_096 };

const CHECKS = 10;

/**
 * Reads all bytes of a body. Of one that fails, what comes after is dropped.
 * @param take is told how many bytes came, and throws when there are too many.
 * @throws Rejection `request_timeout` for one that is too slow, `malformed_request` for one that does not come whole, or what `take` throws.
 */
export function collectBody(req: IncomingMessage, take: (bytes: number) => void, pace = slowest): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  const startedAt = performance.now();
  let size = 0;
  const add = (chunk: Buffer) => {
    size += chunk.length;
    chunks.push(chunk);
    try {
      take(chunk.length);
    } catch (error) {
      reject(error);
    }
  };
  const end = () => resolve(Buffer.concat(chunks, size));
  const fail = () => reject(new Rejection('malformed_request', { happened: 'The body did not come whole.' }));
  const timer = setInterval(() => {
    const late = performance.now() - startedAt - pace.grace;
    if (late > 0 && size < (late / 1_000) * pace.bytesPerSecond) reject(new Rejection('request_timeout'));
  }, pace.grace / CHECKS);
  req.on('data', add).once('end', end).once('close', fail).once('error', fail);
  return promise.finally(() => {
    clearInterval(timer);
    req
      .off('data', add)
      .off('end', end)
      .off('close', fail)
      .off('error', fail)
      .on('error', () => undefined)
      .resume();
  });
}
