interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** A handle of libuv, as Node's diagnostic report has it. */
interface Handle {
  readonly type: string;
  readonly is_active: boolean;
  readonly is_referenced: boolean;
  readonly pid?: number;
  readonly localEndpoint?: Endpoint | null;
  readonly remoteEndpoint?: Endpoint | null;
}

/** A connection or a process that a test has ended may take a while to go. */
const WAIT_MS = 10_000;
const POLL_MS = 20;

/** Types of handles that keep a process from ending while they are active and referenced. */
const handleTypes: ReadonlySet<string> = new Set(['tcp', 'udp', 'process', 'fs_event', 'fs_poll']);

// Otherwise a report asks DNS for the names of all endpoints.
Object.assign(process.report, { excludeNetwork: true });

/**
 * Lists the handles that keep this process from ending: `a timer`, `tcp 127.0.0.1:8080`, `process 4711`. Pipes are left out: standard output and the
 * channel to jest are pipes, and a child whose pipe is open is listed as a process.
 */
export function findOpenHandles(): readonly string[] {
  const resources = process.getActiveResourcesInfo();
  const timers = resources.includes('Timeout') ? ['a timer'] : [];
  // A report takes some ten milliseconds.
  if (!resources.some((name) => /^(?:TCP|UDP|Process|FSEvent|Stat)/.test(name))) return timers;
  const { libuv } = process.report.getReport() as unknown as { readonly libuv: readonly Handle[] };
  const open = libuv.filter((handle) => handle.is_active && handle.is_referenced && handleTypes.has(handle.type));
  return [...timers, ...open.map(describeHandle)];
}

function describeHandle({ type, pid, localEndpoint, remoteEndpoint }: Handle): string {
  const ends = [localEndpoint, remoteEndpoint].flatMap((end) => (end ? [`${end.host}:${end.port}`] : []));
  return [type, pid, ends.join(' to ')].filter(Boolean).join(' ');
}

/** The handles that a test file opens. */
export class OpenHandles {
  readonly #before = findOpenHandles();
  #failed = false;

  /** A failed test may not have come to what closes its things, and jest would show the error of the environment in place of its own. */
  hear({ name }: { readonly name: string }): void {
    this.#failed ||= /_failure$|^error$/.test(name);
  }

  /**
   * Waits up to ten seconds until nothing is open that was not before the file.
   * @throws Error that names what still is, unless a test has failed.
   */
  async waitForEnd(): Promise<void> {
    const until = performance.now() + WAIT_MS;
    while (!this.#failed) {
      const open = findOpenHandles().filter((handle) => !this.#before.includes(handle));
      if (open.length === 0) return;
      if (performance.now() > until) throw new Error(`this file leaves open: ${open.join(', ')}: close it in afterAll`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      // Within its own callback a timer still counts.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
