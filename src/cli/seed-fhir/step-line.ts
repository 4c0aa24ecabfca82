import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';

/** Shows the progress of a long task: one line that changes on a terminal, elsewhere one line per finished step. */
export class StepLine {
  readonly #stream: NodeJS.WritableStream & Pick<Partial<WriteStream>, 'isTTY'>;
  #step: string | undefined;
  #text = '';

  constructor(stream: NodeJS.WritableStream & Pick<Partial<WriteStream>, 'isTTY'>) {
    this.#stream = stream;
  }

  show(step: string, done: number, of: number): void {
    if (step !== this.#step) this.#finish();
    this.#step = step;
    this.#text = `${step} ${styleText('dim', `${done}/${of}`)}`;
    if (this.#stream.isTTY) this.#stream.write(`\r\u001b[K${this.#text}`);
  }

  /** Ends the line and returns the last step. */
  end(): string | undefined {
    this.#finish();
    return this.#step;
  }

  #finish(): void {
    if (this.#text === '') return;
    this.#stream.write(this.#stream.isTTY ? '\n' : `${this.#text}\n`);
    this.#text = '';
  }
}
