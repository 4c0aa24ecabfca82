import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';

/** The user and group of a process. */
export interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

/** A file system of its own that is soon full. */
export interface SmallDisk {
  readonly path: string;
  /** Why there is none on this machine. */
  readonly obstacle: string | undefined;
  /** Takes all the space that is left. */
  fill(): void;
  /** Gives that space back. */
  free(): void;
}

/** Mounts a file system of so many kB until the last test of the file. */
export function mountSmallDisk(kilobytes: number, owner: Owner = {}): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'puente-disk-'));
  const obstacle = mount(path, `size=${kilobytes}k,uid=${owner.uid ?? 0},gid=${owner.gid ?? 0}`);
  const filler = join(path, 'filler');
  afterAll(() => {
    if (obstacle === undefined) execFileSync('umount', [path], { stdio: 'pipe' });
    rmdirSync(path);
  });
  return {
    path,
    obstacle,
    fill: () => {
      try {
        for (;;) writeFileSync(filler, randomBytes(1_024), { flag: 'a' });
      } catch (error) {
        if (!String(error).includes('ENOSPC')) throw error;
      }
    },
    free: () => rmSync(filler, { force: true }),
  };
}

function mount(path: string, options: string): string | undefined {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'puente-test', path], { stdio: 'pipe' });
    return undefined;
  } catch {
    return 'only root can mount a small file system';
  }
}
