import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findCoveredLines } from './covered-lines.ts';
import { digest } from './digest.ts';

/** Where processes leave what they ran; each run of jest has a folder of its own for what is temporary. */
const children = join(tmpdir(), 'children');

/** Writes for each file of tests which lines of the sources it ran, in this process and in those that it started. */
export default class CoverageReporter {
  #root;
  #folder;
  #texts = new Map();

  constructor({ rootDir }) {
    this.#root = rootDir;
    this.#folder = process.env.MUTATE_COVERAGE;
  }

  onTestFileStart() {
    rmSync(children, { recursive: true, force: true });
    mkdirSync(children, { recursive: true });
    // Node hands this on to every process that a test starts, whatever environment it is given.
    process.env.NODE_V8_COVERAGE = children;
  }

  onTestFileResult(test, { v8Coverage = [], perfStats, numFailingTests, numPassingTests, testExecError }) {
    const lines = new Map();
    const inProcesses = new Set();
    const helpers = new Set();
    const add = (script, file) => {
      const name = relative(this.#root, file);
      if (/^test\/.*\.ts$/.test(name)) helpers.add(name);
      if (!/^(src|adapters)\/.*\.ts$/.test(name)) return;
      if (!this.#texts.has(name)) this.#texts.set(name, readFileSync(file, 'utf8'));
      const covered = lines.get(name) ?? new Set();
      for (const line of findCoveredLines(this.#texts.get(name), script)) covered.add(line);
      lines.set(name, covered);
    };
    for (const { result } of v8Coverage) add(result, result.url);
    for (const name of readdirSync(children)) {
      const { result } = JSON.parse(readFileSync(join(children, name), 'utf8'));
      for (const script of result.filter(({ url }) => url.startsWith('file:'))) {
        add(script, fileURLToPath(script.url));
        inProcesses.add(relative(this.#root, fileURLToPath(script.url)));
      }
    }
    const file = relative(this.#root, test.path);
    const digestFile = (name) => [name, digest(readFileSync(join(this.#root, name), 'utf8'))];
    const texts = [...lines.keys()].map((name) => [name, digest(this.#texts.get(name))]);
    const entry = {
      file,
      digests: Object.fromEntries([...[...helpers.add(file)].map(digestFile), ...texts]),
      seconds: perfStats.runtime / 1000,
      passed: numFailingTests === 0 && !testExecError && numPassingTests > 0,
      // A process that is killed says nothing of its lines; another of the same test has usually loaded the same files.
      loadedInProcesses: [...inProcesses].filter((name) => lines.has(name)),
      lines: Object.fromEntries([...lines].map(([name, covered]) => [name, [...covered].toSorted((a, b) => a - b)])),
    };
    writeFileSync(join(this.#folder, `${file.replaceAll('/', '--')}.json`), JSON.stringify(entry));
  }
}
