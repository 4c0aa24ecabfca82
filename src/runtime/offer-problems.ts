import { listMethods, type Offer, ports } from '../ports/index.ts';
import { didYouMean } from '../toolkit/did-you-mean.ts';

/** What an offer names that no port has, one sentence each: ports, and functions of a port that are not private. */
export function listOfferProblems(offer: Offer): string[] {
  const names = [...Object.keys(ports), 'readiness', 'retryableWrites', 'notes', 'close'];
  return Object.entries(offer).flatMap(([name, port]) => {
    if (!names.includes(name)) return [`unknown port ${name}${didYouMean(name, names)}`];
    const methods = listMethods(name);
    return methods.length === 0 ? [] : listUnknownMethods(name, port, methods);
  });
}

const listUnknownMethods = (name: string, port: object, methods: readonly string[]): string[] =>
  listFunctions(port)
    .filter((method) => !methods.includes(method))
    .map((method) => {
      const hint =
        didYouMean(method, methods) ||
        `; the port has ${methods.join(', ')}, and other functions must be private (#${method})`;
      return `unknown method ${name}.${method}${hint}`;
    });

/** The names of the functions that an object or a class of it has; private ones have none. */
function listFunctions(object: object): string[] {
  const own = Object.entries(Object.getOwnPropertyDescriptors(object))
    .filter(([name, { value }]) => typeof value === 'function' && name !== 'constructor')
    .map(([name]) => name);
  const parent: object | null = Object.getPrototypeOf(object);
  return parent === null || parent === Object.prototype ? own : [...own, ...listFunctions(parent)];
}
