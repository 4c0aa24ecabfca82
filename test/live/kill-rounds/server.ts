import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** A server in a process group of its own, so that a kill takes what it started too. */
export interface Killable {
  kill(): Promise<void>;
}

/** Milliseconds that a server may take to answer after its start. */
const STARTS_WITHIN = 300_000;

/**
 * Starts the server and waits until it answers its capability statement.
 * @throws Error when it ends before, or does not answer within five minutes.
 */
export async function startServer(command: string, baseUrl: string): Promise<Killable> {
  const child = spawn('sh', ['-c', `exec ${command}`], { detached: true, stdio: 'ignore' });
  const ended = once(child, 'exit');
  const deadline = Date.now() + STARTS_WITHIN;
  while (!(await answers(baseUrl))) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    if (Date.now() > deadline) throw new Error('the server does not answer');
    await sleep(500);
  }
  return {
    kill: async () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
      await ended;
    },
  };
}

async function answers(baseUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/metadata`, { signal: AbortSignal.timeout(10_000) });
    await response.text();
    return response.ok;
  } catch {
    return false;
  }
}
