import { type Answer, type Operation, operations, perform, Rejection } from '../../src/api/index.ts';
import type { Call } from '../../src/ports/index.ts';

const call: Call = {
  requestId: 'test',
  client: 'test',
  now: '2026-11-20T15:00:00.000Z',
  signal: new AbortController().signal,
  omit: () => undefined,
};

type Method = (...given: never[]) => unknown;

/** A port that answers with the given methods, and what they were called with, the call context aside. */
export function createFakePort(methods: Readonly<Record<string, Method>>) {
  const asked: unknown[][] = [];
  const port = Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [
      name,
      async (...given: never[]) => {
        asked.push([name, ...given.slice(0, -1)]);
        return method(...given);
      },
    ]),
  );
  return { port, asked };
}

/** The declared operation of that name. */
export function findOperation(name: string): Operation {
  const found = operations.find((operation) => operation.name === name);
  if (!found) throw new Error(`no operation ${name}`);
  return found;
}

interface Request {
  readonly params?: Record<string, string>;
  readonly query?: Record<string, unknown>;
  readonly body?: unknown;
}

/** Performs the operation of that name on a port. */
export const performOperation = (
  name: string,
  port: unknown,
  { params = {}, query = {}, body }: Request,
): Promise<Answer> => perform(findOperation(name), port, { params, query, body }, call);

/** How the operation is rejected: its code, and where each fault lies. */
export async function getRejection(name: string, port: unknown, request: Request) {
  try {
    await performOperation(name, port, request);
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    return [error.code, ...(error.details.faults ?? []).map((fault) => `${fault.in} ${fault.at}`)];
  }
  throw new Error(`${name} was not rejected`);
}
