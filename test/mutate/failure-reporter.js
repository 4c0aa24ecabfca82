import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Prints the first failure as a line of JSON, as soon as it is known. */
export default class FailureReporter {
  #root;
  #told = false;

  constructor({ rootDir }) {
    this.#root = rootDir;
  }

  onTestCaseResult(test, { status, fullName, failureMessages }) {
    if (status === 'failed') this.#tell(test, fullName, failureMessages[0] ?? '');
  }

  onTestFileResult(test, { testExecError, failureMessage }) {
    if (testExecError) this.#tell(test, '(the file)', failureMessage ?? '');
  }

  #tell(test, title, message) {
    if (this.#told) return;
    this.#told = true;
    const reason = stripVTControlCharacters(message).trim().split('\n').slice(0, 3).join(' ').slice(0, 200);
    process.stdout.write(`\n{"killer":${JSON.stringify({ file: relative(this.#root, test.path), title, reason })}}\n`);
  }
}
