import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import { OpenHandles } from '../open-handles.ts';

/**
 * Runs the test files of a worker in the context of Node itself, one after another, and takes back what a file changed there; see
 * docs/explanation/decisions/testing.md#npm-test-loads-modules-once-a-worker.
 */
export default class SharedContextEnvironment {
  #openHandles = new OpenHandles();
  #globals = Object.entries(Object.getOwnPropertyDescriptors(globalThis));
  #env = { ...process.env };
  #exitCode = process.exitCode;
  #exit = process.exit;
  #stackTraceLimit = Error.stackTraceLimit;

  constructor({ projectConfig }) {
    this.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  /** jest requires the method. No script runs in a context of its own, so that nothing calls it. */
  getVmContext() {
    return null;
  }

  /** jest-runner maps positions by source maps. There are none: Node blanks types out. */
  async setup() {
    Error.prepareStackTrace = undefined;
  }

  handleTestEvent(event) {
    this.#openHandles.hear(event);
  }

  /** @throws Error when the file leaves something open that would keep its process from ending. */
  async teardown() {
    this.fakeTimersModern.dispose();
    // Also a fake timer that a spy has put back, the console and a clock.
    for (const [name, descriptor] of this.#globals)
      if (descriptor.configurable) Object.defineProperty(globalThis, name, descriptor);
    for (const name of Object.keys(process.env)) if (!(name in this.#env)) delete process.env[name];
    Object.assign(process.env, this.#env);
    process.exitCode = this.#exitCode;
    process.exit = this.#exit;
    Error.stackTraceLimit = this.#stackTraceLimit;
    for (const key of Object.getOwnPropertySymbols(globalThis))
      if (ofCircus.test(key.description)) delete globalThis[key];
    await this.#openHandles.waitForEnd();
  }
}

/** Where jest-circus keeps the tests and hooks of a file. */
const ofCircus =
  /^(JEST_STATE_SYMBOL|EVENT_HANDLERS|TEST_TIMEOUT_SYMBOL|RETRY_|WAIT_BEFORE_RETRY|LOG_ERRORS_BEFORE_RETRY)/;
