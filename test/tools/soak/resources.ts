import { readdirSync, readFileSync } from 'node:fs';

interface Sample {
  readonly megabytes: number;
  readonly handles: number;
}

const computeMedian = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Resident memory and open files of a process on Linux, as they were sampled. */
export class Resources {
  readonly #folder: string;
  readonly #samples: Sample[] = [];

  constructor(processId: number) {
    this.#folder = `/proc/${processId}`;
  }

  sample(): void {
    const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`${this.#folder}/status`, 'utf8'))?.[1]);
    this.#samples.push({ megabytes: kilobytes / 1024, handles: readdirSync(`${this.#folder}/fd`).length });
  }

  /** The latest sample. */
  format(): string {
    const { megabytes = 0, handles = 0 } = this.#samples.at(-1) ?? {};
    return `${Math.round(megabytes)} MB, ${handles} handles`;
  }

  /** The medians of the second and of the last third; the first is the time in which a process warms up. */
  summarize() {
    const third = Math.ceil(this.#samples.length / 3);
    const [second, last] = [this.#samples.slice(third, 2 * third), this.#samples.slice(2 * third)];
    const measure = (samples: readonly Sample[], key: keyof Sample) => computeMedian(samples.map((each) => each[key]));
    return {
      megabytes: [Math.round(measure(second, 'megabytes')), Math.round(measure(last, 'megabytes'))],
      handles: [measure(second, 'handles'), measure(last, 'handles')],
    };
  }

  /** Whether the last third needs more than a tenth more memory than the second, or half as many handles more. */
  get grew(): boolean {
    const { megabytes, handles } = this.summarize();
    return exceeds(megabytes, 1.1) || exceeds(handles, 1.5);
  }
}

const exceeds = ([before = 0, after = 0]: readonly number[], factor: number): boolean => after > before * factor;
