import { randomUUID } from 'node:crypto';
import { type Operation, perform, type RawRequest, Rejection } from '../../api/index.ts';
import { withDeadline } from '../../guard/deadline.ts';
import type { OmittedRecord } from '../../ports/index.ts';

/** A record that a list left out. */
export interface Omitted extends OmittedRecord {
  /** Undefined when the adapter does not say. */
  readonly id: string | undefined;
}

/** What came of one request: the documented answer, or why there is none. */
export interface Asked {
  readonly body?: unknown;
  readonly rejection?: Rejection;
  readonly ms: number;
  readonly omitted: readonly Omitted[];
}

/** Performs an operation as the gateway would, within its deadline, and learns which records are left out. */
export async function ask(
  operation: Operation,
  port: unknown,
  raw: Partial<RawRequest>,
  timeoutMs: number,
): Promise<Asked> {
  const omitted: Omitted[] = [];
  const startedAt = performance.now();
  const outcome = await withDeadline({ timeoutMs, writes: false }, ({ signal, timeLeft }) =>
    perform(
      operation,
      port,
      { params: {}, query: {}, body: undefined, ...raw },
      {
        requestId: randomUUID(),
        client: 'doctor',
        now: new Date().toISOString(),
        signal,
        timeLeft,
        omit: (record) => void omitted.push({ ...record, id: undefined }),
        identifyOmitted: (record, id) => void omitted.splice(-1, 1, { ...record, id }),
      },
    ),
  ).then(
    ({ body }) => ({ body }),
    (error: unknown) => ({
      rejection: error instanceof Rejection ? error : new Rejection('backend_timeout', { cause: error }),
    }),
  );
  return { ...outcome, ms: Math.round(performance.now() - startedAt), omitted };
}
