import { isOffered, isWrite, type Operation, type PerformOptions, parseInput, Rejection } from '../../api/index.ts';
import type { Capability } from '../../ports/index.ts';
import type { ErrorMiddleware, Middleware, Step } from '../request-context.ts';
import type { ServedRoute } from '../routes.ts';
import type { RunningWrites } from '../running-writes.ts';
import { sendReply } from '../send.ts';

/** Serves each operation at its route, by these steps. */
export const serveOperations = (
  operations: readonly Operation[],
  sendProblems: ErrorMiddleware,
  ...steps: readonly Step[]
): readonly ServedRoute[] =>
  operations.map((operation) => ({
    route: operation.route,
    // To that of the application Express would look at all other routes first.
    chain: [...steps.flatMap((step) => step(operation)), sendProblems],
  }));

/** Names the operation, and counts a write for the shutdown. A caller may leave while it is still being read: it begins all the same. */
export const beginOperation =
  (runningWrites: RunningWrites): Step =>
  (operation) =>
  (_req, res, next) => {
    res.locals.operation = operation;
    if (isWrite(operation)) void runningWrites.add(res.locals.finished.promise);
    next();
  };

export const requireOffered =
  (supports: ReadonlySet<Capability>): Step =>
  (operation) =>
    isOffered(operation, supports) ? [] : rejectNotOffered;

const rejectNotOffered: Middleware = () => {
  throw new Rejection('not_implemented');
};

/** What is said of a media type besides how much it is wanted, such as `charset=utf-8`, whose value may be quoted. */
const parameters = /;\s*(?!q\s*=)[^\s=;,"]+\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*)/gi;

export const requireJsonAccepted: Step = () => (req, _res, next) => {
  const accept = req.headers.accept?.replaceAll(parameters, '').trim() || '*/*';
  // JSON has no parameters, and with any of them it is JSON: the negotiation would take them for another type.
  req.headers.accept = accept;
  if (accept !== '*/*' && !req.accepts(['application/json', 'application/problem+json']))
    throw new Rejection('not_acceptable');
  next();
};

export const checkInput =
  (options: PerformOptions): Step =>
  (operation) =>
  (req, res, next) => {
    const query = operation.query ? req.query : {};
    res.locals.input = parseInput(operation, { params: req.params, query, body: req.body }, options);
    next();
  };

export const sendAnswer: Step = () => (_req, res) => {
  sendReply(res, res.locals.requestId, res.locals.reply!);
  res.locals.finished.resolve();
};
