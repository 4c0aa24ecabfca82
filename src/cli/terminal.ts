import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { InvalidArgumentError, Option } from 'commander';
import type { z } from 'zod';
import type { AuditRecord } from '../audit/record.ts';
import { AuditWriter } from '../audit/writer.ts';
import type { AuditRecords } from '../state/state.ts';
import { listFrames } from '../toolkit/failures.ts';
import { toPlainText } from '../toolkit/plain-text.ts';
import { ConfigProblems, ListenFailure } from '../toolkit/problems.ts';

/** `EX_CONFIG` of sysexits.h. */
const MISCONFIGURED = 78;

/** Prints the reason of a failure, with a stack only for unexpected errors, and sets the exit code. */
export function report(error: unknown): void {
  if (error instanceof ConfigProblems) {
    process.stderr.write(`${error.problems.map(toPlainText).join('\n')}\n`);
    process.exitCode = MISCONFIGURED;
    return;
  }
  process.exitCode = 1;
  const { code = '', path } = error instanceof ListenFailure ? error.cause : (error as NodeJS.ErrnoException);
  const reason =
    error instanceof ListenFailure ? cannotListen[code]?.(error) : path && `${path} cannot be used (${code})`;
  const name = error instanceof Error ? error.name : typeof error;
  process.stderr.write(
    reason ? `${reason}\n` : `${[`puente crashed: ${name} ${code}`, ...listFrames(error)].join('\n  ')}\n`,
  );
}

const advisePort = ({ section }: ListenFailure): string =>
  `choose another port with ${section === 'ops' ? 'PUENTE_OPS_PORT' : '--port or PUENTE_PORT'}`;

const sayForeign = ({ section, cause }: ListenFailure): string =>
  `${cause.address ?? `${section}.host`} is not an address of this machine: set ${section}.host to one, e.g. 127.0.0.1`;

const cannotListen: Readonly<Record<string, (failure: ListenFailure) => string>> = {
  EADDRINUSE: (failure) =>
    `port ${failure.cause.port} on ${failure.cause.address} is in use: stop the other program, or ${advisePort(failure)}`,
  EACCES: (failure) =>
    `port ${failure.cause.port} on ${failure.cause.address} is not allowed for this user: ${advisePort(failure)}`,
  EADDRNOTAVAIL: sayForeign,
  // An IPv6 address that exists on several networks, without a zone.
  EINVAL: sayForeign,
  ENOTFOUND: sayForeign,
};

/** The exit codes of examining commands: no problem, a problem, or no examination possible. */
export const exitCodes = { right: 0, wrong: 1, cannotRun: 2 } as const;

/** `--config`, for every command that reads the configuration. */
export const configOption = (): Option =>
  new Option(
    '--config <file>',
    'configuration file; default: PUENTE_CONFIG, then puente.yaml here, then config/default.yaml of Puente',
  );

/** Creates a parser for an argument that validates the text by the schema and returns it unchanged. */
export function checkArgument(schema: z.ZodType) {
  return (text: string): string => {
    const { error } = schema.safeParse(text);
    if (error) throw new InvalidArgumentError(`It ${error.issues[0]!.message}`);
    return text;
  };
}

/** An action of a command, and the patients whose records it showed or changed. */
export type Recorded = Pick<
  AuditRecord,
  'phase' | 'operation' | 'interaction' | 'client' | 'ids' | 'query' | 'status'
> & { readonly patients?: readonly string[] };

/** One process is one command, which may write several records. */
const requestId = randomUUID();

/**
 * Records a command's action for the user of this machine, one record for each patient.
 * @throws StateUnavailable if it cannot be written.
 */
export async function recordCommand(records: AuditRecords, { patients = [], ...recorded }: Recorded): Promise<void> {
  const writer = new AuditWriter({ records, chain: `${hostname()}:cli`, log: { write: () => undefined } });
  const record: AuditRecord = {
    at: new Date().toISOString(),
    requestId,
    subject: { issuer: hostname(), id: findUser(process.env.SUDO_USER) },
    address: '127.0.0.1',
    ...recorded,
  };
  const each = [...new Set(patients)].map((patient) => ({ ...record, patient }));
  await writer.write(each.length === 0 ? [record] : each);
}

/**
 * The login of this process. After sudo, the original user comes first, e.g. `ana as root`.
 * @param sudoUser from the environment; a user other than root may set it to anything.
 */
function findUser(sudoUser = ''): string {
  const login = findLogin();
  return /^[\w.@\\-]{1,64}$/.test(sudoUser) ? `${sudoUser} as ${login}` : login;
}

/** In a container, the user may have no name. */
function findLogin(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.());
  }
}
