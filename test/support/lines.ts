import { Writable } from 'node:stream';

/** A stream that keeps the lines that were written to it. */
export class Lines extends Writable {
  readonly all: string[] = [];

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.all.push(...chunk.toString('utf8').split('\n').filter(Boolean));
    done();
  }
}
