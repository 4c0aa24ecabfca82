import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import express from 'express';
import { type ProblemCode, Rejection } from '../../api/index.ts';
import { measureJson } from '../../toolkit/measure-json.ts';
import type { Gateway } from '../gateway.ts';
import type { Middleware } from '../request-context.ts';
import { afterResponse } from '../send.ts';

const DEFAULT_LIMIT = 64 * 1024;
/** Beyond it a body would be expensive to parse and to check. */
const most = { depth: 20, values: 2_000 };

/** Reads the JSON body of a request, of so many bytes at most, if it has one. */
export const readBody = (
  { bodies, packedBodies }: Pick<Gateway, 'bodies' | 'packedBodies'>,
  limit = DEFAULT_LIMIT,
): readonly Middleware[] => [
  lookForBody,
  ...[requireJson, requirePlain(packedBodies), reserveRoom(bodies, limit), letSend, parseJson(limit)].map(ifBody),
];

const ifBody =
  (middleware: Middleware): Middleware =>
  (req, res, next) =>
    res.locals.hasBody ? middleware(req, res, next) : next();

/** One of no bytes is none, whether its head says so or its first chunk. Who asks whether to send it has one. */
const lookForBody: Middleware = async (req, { locals }, next) => {
  const { 'transfer-encoding': encoding, 'content-length': length = 0, expect } = req.headers;
  if (encoding !== undefined && expect === undefined) {
    if (!req.complete && req.readableLength === 0) await once(req, 'readable').catch(rejectBroken);
    locals.hasBody = req.readableLength > 0;
  } else locals.hasBody = encoding !== undefined || Number(length) > 0;
  next();
};

function rejectBroken(): never {
  throw malformed('did not come whole');
}

const requireJson: Middleware = (req, _res, next) => {
  const charset = /;\s*charset="?([^";\s]+)/i.exec(req.headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!req.is('application/json') || charset.toLowerCase() !== 'utf-8') throw new Rejection('unsupported_media_type');
  next();
};

/** A few bytes that are unpacked may fill every limit: only clients that need it may send such. */
const requirePlain =
  (packedBodies: Gateway['packedBodies']): Middleware =>
  (req, res, next) => {
    const { 'content-encoding': encoding = 'identity' } = req.headers;
    if (encoding.toLowerCase() !== 'identity' && !packedBodies.has(res.locals.client!.name)) throw packed;
    next();
  };

const packed = new Rejection('unsupported_media_type', {
  happened: 'The body is packed (Content-Encoding), and this client may not send such bodies.',
  advice: 'Nothing was changed. Send it without Content-Encoding.',
  headers: { 'Accept-Encoding': 'identity' },
});

/**
 * Bounds the bodies in flight. What does not tell its size counts with the limit. As for the key of a write, what outlives its
 * deadline counts a while longer.
 */
const reserveRoom =
  (bodies: Gateway['bodies'], limit: number): Middleware =>
  (req, res, next) => {
    const size = findSize(req) ?? limit;
    if (size > limit) throw new Rejection('payload_too_large');
    const release = bodies.reserve(size, size > DEFAULT_LIMIT);
    if (!release) throw new Rejection('overloaded');
    const { locals } = res;
    void locals.finished.promise.then(() => locals.callEnded).then(() => afterResponse(res, release));
    next();
  };

/** The bytes of a body, where its head says them. */
const findSize = ({ headers }: IncomingMessage): number | undefined =>
  headers['transfer-encoding'] === undefined && headers['content-encoding'] === undefined
    ? Number(headers['content-length'])
    : undefined;

/** Lets a caller send that waits for that (RFC 9110, section 10.1.1). */
const letSend: Middleware = (req, res, next) => {
  if (/100-continue/i.test(req.headers.expect ?? '')) res.writeContinue();
  next();
};

function parseJson(limit: number): Middleware {
  const parse = express.json({ limit, strict: false, type: () => true, verify: checkText });
  return (req, res, next) => parse(req, res, (error?: unknown) => next(error && toRejection(error)));
}

/** @throws Rejection for what must not be parsed. */
function checkText(_req: unknown, _res: unknown, text: Buffer): void {
  if (!isUtf8(text)) throw malformed('is not valid UTF-8');
  const { depth, values } = measureJson(text, most);
  if (depth > most.depth) throw malformed(`is nested deeper than ${most.depth} levels`);
  if (values > most.values) throw malformed(`has more than ${most.values.toLocaleString('en')} values`);
}

const malformed = (what: string) => new Rejection('malformed_request', { happened: `The body ${what}.` });

const codeByErrorType: Readonly<Record<string, ProblemCode>> = {
  'entity.too.large': 'payload_too_large',
  'encoding.unsupported': 'unsupported_media_type',
};

function toRejection(error: unknown): Rejection {
  if (error instanceof Rejection) return error;
  const code = codeByErrorType[String((error as { type?: unknown }).type)];
  return code ? new Rejection(code) : malformed('is not valid JSON');
}
