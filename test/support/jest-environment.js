import { createRequire } from 'node:module';
import { constants, createContext } from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';
import { findOpenHandles } from './open-handles.ts';

/**
 * jest's own environment of Node, with a global object like that of any program. In jest's each look at `Object`, `Map` or
 * `JSON` asks a proxy, which took a fifth of the time of all tests; see
 * docs/explanation/decisions/testing.md#jest-runs-native-modules-swc-strips-their-types.
 */
export default class OrdinaryGlobalEnvironment extends TestEnvironment {
  #openBefore = findOpenHandles();
  #failed = false;

  constructor(config, context) {
    super(config, context);
    const jests = this.global;
    this.global = createContext(constants.DONT_CONTEXTIFY);
    this.context = this.global;
    for (const key of Reflect.ownKeys(jests)) {
      if (!Object.hasOwn(this.global, key) || ofNode.has(key)) share(jests, this.global, key);
    }
    this.global.global = this.global;
    this.global[Symbol.for('puente.shared')] = loadShared;
    this.global.Error.stackTraceLimit = jests.Error.stackTraceLimit;
    this.moduleMocker = new this.moduleMocker.constructor(this.global);
    this.fakeTimersModern = new this.fakeTimersModern.constructor({
      config: config.projectConfig,
      global: this.global,
    });
  }

  /** A failed test may not have come to what closes its things; jest would show the error of `teardown` in place of its own. */
  handleTestEvent({ name }) {
    this.#failed ||= /_failure$|^error$/.test(name);
  }

  /** @throws Error when the file leaves something open that would keep its process from ending. */
  async teardown() {
    const open = this.#failed ? [] : await waitForHandles(this.#openBefore);
    await super.teardown();
    if (open.length > 0) throw new Error(`this file leaves open: ${open.join(', ')}: close it in afterAll`);
  }
}

/** A connection or a process that a test has ended may take a while to go. */
const HANDLE_WAIT_MS = 10_000;
const HANDLE_POLL_MS = 20;

/** What is open now and was not before; returns when nothing is, or after ten seconds. */
async function waitForHandles(before) {
  const until = performance.now() + HANDLE_WAIT_MS;
  for (;;) {
    const open = findOpenHandles().filter((handle) => !before.includes(handle));
    if (open.length === 0 || performance.now() > until) return open;
    await new Promise((resolve) => setTimeout(resolve, HANDLE_POLL_MS));
    // Within its own callback a timer still counts.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Loads a package outside of all contexts, once for all files of a worker; `shared` has those that are. */
const loadShared = createRequire(import.meta.url);

/** What every context has of its own, and jest replaces by Node's, so that buffers are the same to all. */
const ofNode = new Set(['ArrayBuffer', 'Uint8Array']);

/** Gives one global object what the other has; what is made when somebody asks for it is not made before. */
function share(from, to, key) {
  const { get, ...descriptor } = Object.getOwnPropertyDescriptor(from, key);
  if (!get) return void Object.defineProperty(to, key, descriptor);
  const { enumerable } = descriptor;
  const set = (value) => void Object.defineProperty(to, key, { configurable: true, enumerable, writable: true, value });
  const make = () => {
    set(from[key]);
    return from[key];
  };
  Object.defineProperty(to, key, { configurable: true, enumerable, get: make, set });
}
