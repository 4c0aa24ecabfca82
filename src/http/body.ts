import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import express, { type Request, type Response } from 'express';
import { type ProblemCode, Rejection } from '../api/index.ts';
import type { BodyBudget } from './body-budget.ts';
import { afterResponse } from './send.ts';

/** Limits of a JSON body, checked before it is parsed. */
const MAX_DEPTH = 20;
const MAX_NODES = 2_000;
const DEFAULT_LIMIT = 64 * 1024;

type Parser = ReturnType<typeof express.json>;
const parsers = new Map<number, Parser>();

/**
 * Reads the JSON body of a request; undefined if it has none. Its bytes count in the budget until the response is over.
 * @throws Rejection `unsupported_media_type`, `payload_too_large`, `malformed_request` or `overloaded`.
 */
export async function readBody(
  req: Request,
  res: Response,
  bodies: BodyBudget,
  limit = DEFAULT_LIMIT,
): Promise<unknown> {
  if (!hasBody(req)) return undefined;
  if (!req.is('application/json') || !isDeclaredUtf8(req)) throw new Rejection('unsupported_media_type');
  const size = findSize(req, limit);
  if (size > limit) throw new Rejection('payload_too_large');
  const release = bodies.reserve(size, size > DEFAULT_LIMIT);
  if (!release) throw new Rejection('overloaded');
  afterResponse(res, release);
  await new Promise<void>((resolve, reject) => {
    getParser(limit)(req, res, (error?: unknown) => (error ? reject(toRejection(error)) : resolve()));
  });
  // To parse megabytes takes long enough; others have their turn before they are checked.
  if (size > DEFAULT_LIMIT) await setImmediate();
  return req.body;
}

const hasBody = (req: Request): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;

/** The bytes of a body as its head says; the limit, when that does not say how many they will be. */
const findSize = ({ headers }: Request, limit: number): number =>
  headers['transfer-encoding'] === undefined && headers['content-encoding'] === undefined
    ? Number(headers['content-length'])
    : limit;

const isDeclaredUtf8 = (req: Request): boolean => {
  const charset = /;\s*charset="?([^";\s]+)/i.exec(req.headers['content-type'] ?? '')?.[1];
  return charset === undefined || charset.toLowerCase() === 'utf-8';
};

function getParser(limit: number): Parser {
  const known = parsers.get(limit);
  if (known) return known;
  const parser = express.json({ limit, strict: false, type: () => true, verify: (_req, _res, raw) => checkShape(raw) });
  parsers.set(limit, parser);
  return parser;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const malformed = (detail: string) => new Rejection('malformed_request', { detail });

/** Rejects a body that would be expensive to parse or to traverse, in one pass over the bytes. */
function checkShape(raw: Buffer): void {
  if (!isUtf8(raw)) throw malformed('The body is not valid UTF-8.');
  let depth = 0;
  let nodes = 0;
  let inString = false;
  for (let i = 0; i < raw.length; i++) {
    const byte = raw[i];
    if (inString) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) {
      inString = true;
      i = Math.max(i, findQuoteOrBackslash(raw, i + 1) - 1);
    } else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      if (++depth > MAX_DEPTH) throw malformed(`The body is nested deeper than ${MAX_DEPTH} levels.`);
      nodes++;
    } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) depth--;
    else if (byte === COMMA && ++nodes > MAX_NODES)
      throw malformed(`The body has more than ${MAX_NODES.toLocaleString('en')} values.`);
  }
}

/** The index of the next quote or backslash. Native searches keep strings of megabytes fast. */
function findQuoteOrBackslash(raw: Buffer, from: number): number {
  const quote = raw.indexOf(QUOTE, from);
  const end = quote < 0 ? raw.length : quote;
  const backslash = raw.subarray(from, end).indexOf(BACKSLASH);
  return backslash < 0 ? end : from + backslash;
}

const codeByErrorType: Readonly<Record<string, ProblemCode>> = {
  'entity.too.large': 'payload_too_large',
  'charset.unsupported': 'unsupported_media_type',
  'encoding.unsupported': 'unsupported_media_type',
};

function toRejection(error: unknown): Rejection {
  if (error instanceof Rejection) return error;
  const { type } = error as { type?: string };
  const code = (type && codeByErrorType[type]) || 'malformed_request';
  return new Rejection(code, code === 'malformed_request' ? { detail: 'The body is not valid JSON.' } : {});
}
