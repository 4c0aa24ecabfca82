import type { RequestListener } from 'node:http';
import { isWrite, type Operation } from '../api/index.ts';
import type { Refusals } from '../auth/refusals.ts';
import type { Config } from '../config/schema.ts';
import type { Guard } from '../guard/guard.ts';
import { Idempotency } from '../guard/idempotency.ts';
import { CallerAddresses } from '../http/addresses.ts';
import { checkRequestLine, createApp, createPages, noPages } from '../http/app.ts';
import { RequestTrail } from '../http/audit.ts';
import { BodyBudget, readBody } from '../http/body.ts';
import { identifyClient, limitClient, requireToken } from '../http/caller.ts';
import {
  attemptOnce,
  beginOperation,
  callPort,
  checkInput,
  executeOnPort,
  protect,
  readKey,
  requireAdmission,
  requireJsonAccepted,
  requireOffered,
  sendAnswer,
  serveOperations,
} from '../http/chain.ts';
import type { Drain } from '../http/drain.ts';
import { createProblemReplies, sendProblems } from '../http/errors.ts';
import { type DescribeReadiness, listCapabilities, listGatewayEndpoints } from '../http/gateway-endpoints.ts';
import type { ClientLimits } from '../http/limits.ts';
import { type OmittedRecords, reportOmittedRecords } from '../http/omitted-records.ts';
import { addContext, type FindAdapter, followRequest, type Middleware, type Step } from '../http/request.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Log } from '../ports/index.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { State } from '../state/state.ts';
import { version } from '../toolkit/package.ts';
import type { Clock } from '../toolkit/zone.ts';
import type { Offered } from './adapters.ts';
import type { RunningAudit } from './audit.ts';
import type { Authentication } from './authentication.ts';

/** The parts of the application. */
export interface ApplicationParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly offered: Offered;
  readonly authentication: Authentication;
  readonly clientLimits: ClientLimits;
  readonly refusals: Refusals;
  readonly state: State;
  readonly audit: RunningAudit | undefined;
  readonly guard: Guard;
  readonly omitted: OmittedRecords;
  readonly readiness: DescribeReadiness;
  readonly metrics: Metrics | undefined;
  readonly middleware: readonly Middleware[];
  readonly sandbox: Sandbox | undefined;
  readonly drain: Drain;
}

/** Composes the request's chain from top to bottom. */
// oxlint-disable-next-line max-lines-per-function -- the chain is read as one text
export function composeApplication(given: ApplicationParts): RequestListener {
  const { config, clock, log, offered, authentication, clientLimits, refusals, state, audit, guard, omitted } = given;
  const { readiness, metrics, middleware, sandbox, drain } = given;
  const { basePath } = config.http;
  const { operations, ports, supports, retryableWrites, findOwner } = offered;
  const { authenticate } = authentication;

  const findAdapter: FindAdapter = (operation) => findOwner(operation.uses[0]);
  const findDeadline = createFindDeadline(config);
  const addresses = new CallerAddresses(config.http.trustedProxies);
  const trail = new RequestTrail(audit, addresses);
  const toProblemReply = createProblemReplies(basePath, config.compat.strictStatusCodes);
  const answerProblems = sendProblems(toProblemReply, { trail, addresses, refusals, log });

  const begin = beginOperation(drain.writes, findAdapter);
  const limit = limitClient(clientLimits, addresses);
  const read = readBody(new BodyBudget(config.http.maxBodyBytes), config.http.packedBodies);
  const check = checkInput({ ...config.compat, unknownParameters: sandbox?.strict ? 'reject' : undefined });

  // An attempt runs these from the last to the first.
  const execute = executeOnPort(ports, basePath);
  const play = sandbox ? sandbox.wrap(execute) : execute;
  const attempt = protect(play, guard, findAdapter);
  const once = attemptOnce(attempt, {
    idempotency: new Idempotency(state, log, config.idempotency.retention),
    retryableWrites,
    toProblemReply,
  });

  const steps: readonly Step[] = [
    begin,
    identifyClient(authenticate, config.auth.groupA === 'none'),
    ...(sandbox ? [sandbox.requests.step] : []),
    requireOffered(supports),
    requireJsonAccepted,
    limit,
    readKey(config.idempotency.required),
    ...(sandbox ? [sandbox.step] : []),
    requireAdmission(guard, findAdapter),
    read,
    check,
    ...(sandbox ? [sandbox.stepAfterBody] : []),
    trail.begin,
    callPort(once, findDeadline, drain.writes),
    reportOmittedRecords(omitted, log),
    trail.end,
    ...(sandbox ? [sandbox.spoil] : []),
    sendAnswer,
  ];
  const sandboxSteps: readonly Step[] = [
    begin,
    identifyClient(authenticate, false),
    limit,
    read,
    check,
    trail.begin,
    callPort(executeOnPort({}, ''), findDeadline, drain.writes),
    trail.end,
    sendAnswer,
  ];

  return createApp({
    basePath,
    beforeRoutes: [
      addContext(clock, sandbox?.createRequestId),
      followRequest(log),
      ...(sandbox ? [sandbox.requests.watchUnknown(authenticate)] : []),
      checkRequestLine(basePath),
      ...middleware,
    ],
    routes: [
      ...listGatewayEndpoints(
        config.auth.openOps ? [] : requireToken(authenticate, 'ops:read'),
        readiness,
        listCapabilities(offered, config.institution.timeZone),
        config.ops.port === undefined ? metrics : undefined,
      ),
      ...serveOperations(operations, steps, answerProblems),
      ...serveOperations(sandbox?.operations ?? [], sandboxSteps, answerProblems),
    ],
    pages: composePages(config, offered, sandbox),
    sendProblems: answerProblems,
  });
}

/** Milliseconds from a request to its response. */
const createFindDeadline =
  ({ guard, http }: Config) =>
  (operation: Operation): number =>
    guard.operations[operation.name]?.deadline ?? (isWrite(operation) ? http.writeDeadline : http.readDeadline);

function composePages(config: Config, offered: Offered, sandbox: Sandbox | undefined): Middleware {
  const { basePath, docs } = config.http;
  if (docs !== 'on') return noPages;
  const { operations, supports, adapters } = offered;
  const anonymousGroupA = config.auth.groupA === 'none';
  const idempotencyRequired = new Set(config.idempotency.required);
  const home = { basePath, version, institution: config.institution, adapters, operations, supports, anonymousGroupA };
  const rules = { openOps: config.auth.openOps, idempotencyRequired };
  return createPages({ ...home, sandbox }, rules, sandbox?.documentation);
}
