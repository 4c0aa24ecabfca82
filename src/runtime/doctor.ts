import { execFile } from 'node:child_process';
import { z } from 'zod';

/** Milliseconds. */
const TIMEOUT = 60_000;
/** Node's code of an output above `maxBuffer`. */
const TOO_LONG = 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';

const printed = z.object({
  checks: z.array(
    z.object({
      section: z.string(),
      check: z.string(),
      ok: z.boolean().nullable(),
      detail: z.string(),
      fix: z.string().optional(),
    }),
  ),
});

interface DoctorProcess {
  /** The command line. */
  readonly program?: string;
  /** Milliseconds. */
  readonly timeout?: number;
  /** Ends the process. */
  readonly signal?: AbortSignal;
}

/**
 * Runs `puente doctor` in another process, which costs this one only processor time.
 * @param file the configuration.
 * @returns the findings, or that it could not run.
 */
export function runDoctor(
  file: string,
  { program = process.argv[1] ?? '', timeout = TIMEOUT, signal }: DoctorProcess = {},
): Promise<z.infer<typeof printed>['checks']> {
  const args = [...process.execArgv, program, 'doctor', '--json', '--config', file];
  const options = { timeout, killSignal: 'SIGKILL', maxBuffer: 8 << 20, signal } as const;
  const fail = (detail: string) => [{ section: 'doctor', check: 'run', ok: false, detail }];
  return new Promise((resolve) => {
    execFile(process.execPath, args, options, (error, stdout) => {
      if (error?.killed && error.code !== TOO_LONG)
        return resolve(fail(`it did not end within ${timeout / 1_000} seconds`));
      try {
        resolve(printed.parse(JSON.parse(stdout)).checks);
      } catch {
        resolve(fail('it could not run: run puente doctor on a terminal'));
      }
    });
  });
}
