import type { Requests } from './load/load.ts';
import type { ServerProcess } from './processes.ts';

/** One server with one kind of request. */
export interface Variant {
  readonly name: string;
  /** Whether it is the gateway. */
  readonly own: boolean;
  readonly server: ServerProcess;
  /** Others like it, each of which gets the same load at the same time. */
  readonly replicas?: readonly ServerProcess[];
  readonly requests: Requests;
}

/** Variants that take turns under the same load, so that they can be compared. */
export interface Comparison {
  readonly id: string;
  readonly title: string;
  /** For each server: connections of a closed loop, or requests a second of an open one. */
  readonly load: { readonly connections: number } | { readonly rate: number };
  readonly variants: readonly Variant[];
}

/** What one round of one variant showed. Latencies are in milliseconds. */
export interface Round {
  /** Responses a second. */
  readonly rate: number;
  /** Microseconds of CPU that its servers used for each. */
  readonly cpu: number;
  readonly p50: number;
  readonly p99: number;
}

export const listServers = ({ server, replicas = [] }: Variant): readonly ServerProcess[] => [server, ...replicas];

/** A variant with its rounds of all passes. */
export interface Result {
  readonly name: string;
  readonly own: boolean;
  readonly rounds: readonly Round[];
}

/** The bytes of a request with that token, and a body as JSON. */
export function formatRequest(
  [method, path]: readonly [method: string, path: string],
  token: string,
  body?: unknown,
  key?: string,
): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${token}`,
    ...(key === undefined ? [] : [`Idempotency-Key: ${key}`]),
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`]),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${text}`;
}

/** The same read again and again. */
export const repeatRead = (path: string, token: string): Requests => {
  const bytes = Buffer.from(formatRequest(['GET', path], token));
  return { next: () => bytes, status: 200 };
};
