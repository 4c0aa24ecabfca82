import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** A folder for configuration files that a test writes. */
export class ConfigFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'puente-'));

  /** Writes a file and returns its path. */
  write(name: string, text: string | Uint8Array): string {
    const file = join(this.path, name);
    writeFileSync(file, text);
    return file;
  }

  /** The file as messages name it. */
  formatPath(name: string): string {
    const fromHere = relative(process.cwd(), join(this.path, name));
    return fromHere.startsWith('..') ? join(this.path, name) : fromHere;
  }

  remove(): void {
    rmSync(this.path, { recursive: true });
  }
}
