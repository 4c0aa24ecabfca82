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
  const { code = '', syscall, path } = error as NodeJS.ErrnoException;
  const isListening = syscall === 'listen' || syscall === 'getaddrinfo';
  const reason = isListening ? cannotListen[code]?.(error as ListenError) : path && `${path} cannot be used (${code})`;
  const name = error instanceof Error ? error.name : typeof error;
  process.stderr.write(
    reason ? `${reason}\n` : `${[`puente crashed: ${name} ${code}`, ...listFrames(error)].join('\n  ')}\n`,
  );
}

interface ListenError {
  readonly address?: string;
  readonly port?: number;
}

const otherPort = 'choose another port with --port or PUENTE_PORT';
const otherHost = 'set http.host to one, e.g. 127.0.0.1';

const sayForeign = ({ address }: ListenError): string => `${address} is not an address of this machine: ${otherHost}`;

const cannotListen: Readonly<Record<string, (error: ListenError) => string>> = {
  EADDRINUSE: ({ address, port }) => `port ${port} on ${address} is in use: stop the other program, or ${otherPort}`,
  EACCES: ({ address, port }) => `port ${port} on ${address} is not allowed for this user: ${otherPort}`,
  EADDRNOTAVAIL: sayForeign,
  // An address of IPv6 that is there on several networks, without the name of one.
  EINVAL: sayForeign,
  ENOTFOUND: () => `http.host is not an address of this machine: ${otherHost}`,
};
