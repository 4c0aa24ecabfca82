import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { problems, Rejection, toProblemBody } from '../api/index.ts';
import type { Impairment, Log } from '../ports/index.ts';
import { type Reply, sendReply, toReply } from './send.ts';

const TIMEOUT = 5_000;
/** Seconds. */
const RETRY_AFTER = '5';

/**
 * A server for the time before the gateway: `/livez` is 200, `/readyz` 503 with what is waited for, and everything else 503
 * `starting`. Every response closes its connection, so that the next request reaches the gateway.
 * @param isForOperators whether who asks is told the detail of what is waited for, which may name addresses.
 */
export function createStartingServer(
  basePath: string,
  awaited: () => readonly Impairment[],
  log: Log,
  isForOperators = false,
): Server {
  return createServer({ headersTimeout: TIMEOUT, requestTimeout: TIMEOUT }, (req, res) => {
    const requestId = randomUUID();
    const probe = req.method === 'GET' || req.method === 'HEAD' ? answerProbe(req.url) : undefined;
    if (probe) log.write('debug', 'request', { requestId, status: probe.status });
    res.setHeader('Connection', 'close');
    sendReply(res, requestId, probe ?? refuse(requestId));
    req.resume();
  });

  function answerProbe(path: string | undefined): Reply | undefined {
    if (path === `${basePath}/livez`) return toReply(200, { status: 'ok' });
    if (path === `${basePath}/readyz`) {
      const impairments = awaited().map(({ code, detail }) => ({ code, ...(isForOperators && { detail }) }));
      return toReply(503, { status: 'starting', impairments });
    }
  }

  function refuse(requestId: string): Reply {
    const rejection = new Rejection('starting');
    const { status } = problems.starting;
    log.write('error', 'request', { requestId, status, code: rejection.code });
    return toReply(status, toProblemBody(rejection, requestId, basePath), {
      'Content-Type': 'application/problem+json; charset=utf-8',
      'Retry-After': RETRY_AFTER,
    });
  }
}
