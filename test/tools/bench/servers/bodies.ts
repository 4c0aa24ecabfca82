import { readFileSync } from 'node:fs';

/** What a server to compare with answers, as parsed JSON under paths: the very bodies that the gateway sent. */
export const readBodies = (): Readonly<Record<string, unknown>> =>
  JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));

/** Tells the harness where this process listens. */
export const announce = (...ports: number[]): void => {
  process.send?.({ ports });
};
