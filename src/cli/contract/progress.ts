import type { Case } from '../../contract/index.ts';

/** Where progress is shown. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** One line of a terminal that says which case is being run; nothing where there is no terminal. */
export function createProgress(stream: ProgressStream, total: number) {
  const { isTTY = false, columns = 80 } = stream;
  return {
    show: ({ id }: Case, index: number): void => {
      if (!isTTY) return;
      const line = `${String(index + 1).padStart(String(total).length)}/${total} ${id}`;
      stream.write(`\r\u001b[2K${line.slice(0, columns - 1)}`);
    },
    clear: (): void => {
      if (isTTY) stream.write('\r\u001b[2K');
    },
  };
}
