import { ConfigProblems } from '../config/problems.ts';
import { listFrames } from '../http/errors.ts';

/** `EX_CONFIG` of sysexits.h. */
const MISCONFIGURED = 78;

/** Prints why a command failed, with a stack only for unexpected errors, and sets the exit code. */
export function report(error: unknown): void {
  if (error instanceof ConfigProblems) {
    process.stderr.write(`${error.problems.join('\n')}\n`);
    process.exitCode = MISCONFIGURED;
    return;
  }
  process.exitCode = 1;
  const { code = '', address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  const reason = cannotListen[code]?.(address ?? '', port ?? 0);
  const name = error instanceof Error ? error.name : typeof error;
  process.stderr.write(
    reason ? `${reason}\n` : `${[`puente crashed: ${name} ${code}`, ...listFrames(error)].join('\n  ')}\n`,
  );
}

const otherPort = 'choose another port with --port or PUENTE_PORT';

const cannotListen: Readonly<Record<string, (address: string, port: number) => string>> = {
  EADDRINUSE: (address, port) => `port ${port} on ${address} is in use: stop the other program, or ${otherPort}`,
  EACCES: (address, port) => `port ${port} on ${address} is not allowed for this user: ${otherPort}`,
  EADDRNOTAVAIL: (address) => `${address} is not an address of this machine: set http.host to one, e.g. 127.0.0.1`,
  ENOTFOUND: () => 'http.host is not an address of this machine: set it to one, e.g. 127.0.0.1',
};
