import { operations } from '../../src/api/index.ts';
import { createPortsSubject, type PortsSubject, sandbox } from '../../src/contract/index.ts';
import { promisedFixtures } from '../../src/contract/subject.ts';
import { type Capability, listMethods, type Offer } from '../../src/ports/index.ts';

export interface PartialOptions {
  /** Nothing else is offered. */
  readonly offered: readonly Capability[];
  /** Fixtures that are named besides those which the capabilities promise. */
  readonly fixtures?: readonly string[];
  /** Is told each capability that a request or a call uses, and each fixture that is read. */
  readonly note?: (used: string) => void;
}

/** A subject that offers a part of the ports, and names no fixture of the sandbox that it does not have to. */
export function createPartialSubject(ports: Offer, options: PartialOptions): PortsSubject {
  const { offered, fixtures = [], note = () => {} } = options;
  const named = new Set<string>([...offered.flatMap((capability) => promisedFixtures[capability]), ...fixtures]);
  const subject = createPortsSubject({
    ports: hideMethods(ports, new Set<string>(offered), note),
    fixtures: hide(sandbox, '', named, note),
  });
  return {
    ...subject,
    send: (request) => {
      for (const capability of operations.find(({ route }) => route === request.route)?.uses ?? []) note(capability);
      return subject.send(request);
    },
  };
}

const common = ['timeZone', 'locale', 'unknown'];
const isIn = (named: ReadonlySet<string>, name: string) =>
  common.includes(name) || named.has(name) || [...named].some((each) => each.startsWith(`${name}.`));

/** The object with the properties that are named, and tells which of them are read. */
const hide = <T extends object>(
  whole: T,
  prefix: string,
  named: ReadonlySet<string>,
  note: (name: string) => void,
): T =>
  new Proxy(whole, {
    has: (target, key) => Reflect.has(target, key) && isIn(named, `${prefix}${String(key)}`),
    get: (target, key) => {
      const name = `${prefix}${String(key)}`;
      if (!isIn(named, name)) return undefined;
      const value: unknown = Reflect.get(target, key);
      if (!common.includes(name) && !named.has(name)) return hide(Object(value), `${name}.`, named, note);
      note(name);
      return value;
    },
  });

/** The ports with the methods that are offered, and tells which of them are called. */
const hideMethods = (ports: Offer, offered: ReadonlySet<string>, note: (name: string) => void): Offer =>
  new Proxy(ports, {
    get: (target, port) => {
      if (port === 'retryableWrites') return target.retryableWrites;
      const whole: unknown = Reflect.get(target, port);
      if (!listMethods(String(port)).some((method) => offered.has(`${String(port)}.${method}`))) return undefined;
      return new Proxy(Object(whole), {
        get: (own, key) => {
          const method: unknown = Reflect.get(own, key);
          const capability = `${String(port)}.${String(key)}`;
          if (typeof method !== 'function' || !offered.has(capability)) return undefined;
          return (...given: readonly unknown[]): unknown => {
            note(capability);
            return Reflect.apply(method, own, given);
          };
        },
      });
    },
  });
