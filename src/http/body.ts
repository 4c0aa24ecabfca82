import type { IncomingMessage, ServerResponse } from 'node:http';
import type express from 'express';
import { type ProblemCode, Rejection } from '../api/index.ts';
import type { BodyBudget } from './body-budget.ts';
import { parseJson } from './json.ts';
import { declaresJson, loadExpress } from './request.ts';

const DEFAULT_LIMIT = 64 * 1024;

/** With what a parser of Express has read. */
type RequestWithBody = IncomingMessage & { body?: Buffer };

type Parser = ReturnType<typeof express.raw>;
const parsers = new Map<number, Parser>();

/**
 * Reads the JSON body of a request; undefined if it has none.
 * @param hold takes what gives its bytes back to the budget.
 * @throws Rejection `unsupported_media_type`, `payload_too_large`, `malformed_request` or `overloaded`.
 */
export async function readBody(
  req: IncomingMessage,
  res: ServerResponse,
  bodies: BodyBudget,
  hold: (release: () => void) => void,
  limit = DEFAULT_LIMIT,
): Promise<unknown> {
  if (!hasBody(req)) return undefined;
  if (!(await declaresJson(req)) || !isDeclaredUtf8(req)) throw new Rejection('unsupported_media_type');
  const announced = findAnnouncedSize(req);
  const size = announced ?? limit;
  if (size > limit) throw new Rejection('payload_too_large');
  const release = bodies.reserve(size, size > DEFAULT_LIMIT);
  if (!release) throw new Rejection('overloaded');
  hold(release);
  const text = announced === undefined ? await readUnannounced(req, res, limit) : await readAnnounced(req, announced);
  // A client that means no value at all often sends no byte.
  return text.length === 0 ? {} : parseJson(text);
}

const hasBody = (req: IncomingMessage): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;

/** The bytes of a body, where its head says them. */
const findAnnouncedSize = ({ headers }: IncomingMessage): number | undefined =>
  headers['transfer-encoding'] === undefined && headers['content-encoding'] === undefined
    ? Number(headers['content-length'])
    : undefined;

/** Reads a body into the memory that it needs: to gather its chunks first would take twice as much, and copy megabytes at once. */
function readAnnounced(req: IncomingMessage, size: number): Promise<Buffer> {
  const text = Buffer.allocUnsafe(size);
  let received = 0;
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Rejection('malformed_request'));
    if (req.destroyed) return fail();
    req.once('error', fail).once('end', () => (received === size ? resolve(text) : fail()));
    req.on('data', (chunk: Buffer) => {
      received += chunk.copy(text, received);
    });
  });
}

/** Reads a body that is compressed, or whose length nobody knows until its end. */
async function readUnannounced(req: RequestWithBody, res: ServerResponse, limit: number): Promise<Buffer> {
  const parse = await getParser(limit);
  await new Promise<void>((resolve, reject) => {
    parse(req, res, (error?: unknown) => (error ? reject(toRejection(error)) : resolve()));
  });
  return req.body ?? Buffer.alloc(0);
}

const isDeclaredUtf8 = (req: IncomingMessage): boolean => {
  const charset = /;\s*charset="?([^";\s]+)/i.exec(req.headers['content-type'] ?? '')?.[1];
  return charset === undefined || charset.toLowerCase() === 'utf-8';
};

async function getParser(limit: number): Promise<Parser> {
  const known = parsers.get(limit);
  if (known) return known;
  const parser = (await loadExpress()).raw({ limit, type: () => true });
  parsers.set(limit, parser);
  return parser;
}

const codeByErrorType: Readonly<Record<string, ProblemCode>> = {
  'entity.too.large': 'payload_too_large',
  'charset.unsupported': 'unsupported_media_type',
  'encoding.unsupported': 'unsupported_media_type',
};

function toRejection(error: unknown): Rejection {
  const { type } = error as { type?: string };
  const code = (type && codeByErrorType[type]) || 'malformed_request';
  return new Rejection(code, code === 'malformed_request' ? { happened: 'The body is not valid JSON.' } : {});
}
