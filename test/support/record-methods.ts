/** The same port, which tells `note` the name of each method that is taken from it. */
export const recordMethods = <P extends object>(port: P, note: (method: string) => void): P =>
  new Proxy(port, {
    get: (target, name) => {
      note(String(name));
      const method: unknown = Reflect.get(target, name);
      return typeof method === 'function' ? method.bind(target) : method;
    },
  });
