import { createRequire } from 'node:module';
import { constants, createContext } from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';
import { OpenHandles } from './open-handles.ts';

/**
 * jest's own environment of Node, with a global object like that of any program. In jest's each look at `Object`, `Map` or
 * `JSON` asks a proxy, which took a fifth of the time of all tests; see
 * docs/explanation/decisions/testing.md#jest-runs-native-modules-swc-strips-their-types.
 */
export default class OrdinaryGlobalEnvironment extends TestEnvironment {
  #openHandles = new OpenHandles();

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

  handleTestEvent(event) {
    this.#openHandles.hear(event);
  }

  /** @throws Error when the file leaves something open that would keep its process from ending. */
  async teardown() {
    await this.#openHandles.waitForEnd().finally(() => super.teardown());
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
