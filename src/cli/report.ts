import { listFrames } from '../toolkit/causes.ts';
import { ConfigProblems } from '../toolkit/problems.ts';
import { toPlainText } from './plain-text.ts';

/** `EX_CONFIG` of sysexits.h. */
const MISCONFIGURED = 78;

/** Prints why a command failed, with a stack only for unexpected errors, and sets the exit code. */
export function report(error: unknown): void {
  if (error instanceof ConfigProblems) {
    process.stderr.write(`${error.problems.map(toPlainText).join('\n')}\n`);
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
  /** `http` unless it was for the probes. */
  readonly section?: string;
}

const advisePort = ({ section }: ListenError): string =>
  `choose another port with ${section === 'ops' ? 'PUENTE_OPS_PORT' : '--port or PUENTE_PORT'}`;

const sayForeign = ({ address, section = 'http' }: ListenError): string =>
  `${address ?? `${section}.host`} is not an address of this machine: set ${section}.host to one, e.g. 127.0.0.1`;

const cannotListen: Readonly<Record<string, (error: ListenError) => string>> = {
  EADDRINUSE: (error) =>
    `port ${error.port} on ${error.address} is in use: stop the other program, or ${advisePort(error)}`,
  EACCES: (error) => `port ${error.port} on ${error.address} is not allowed for this user: ${advisePort(error)}`,
  EADDRNOTAVAIL: sayForeign,
  // An address of IPv6 that is there on several networks, without the name of one.
  EINVAL: sayForeign,
  ENOTFOUND: sayForeign,
};
