import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { format } from 'node:util';

/** A text that a call wrote to the output of this process. */
export interface WrittenText {
  readonly method: string;
  readonly text: string;
}

/** Receives what the running call writes. Without a call there is none, so the test runner's own output is not read. */
const calls = new AsyncLocalStorage<(text: string) => void>();

const note = (written: unknown): void => {
  const text = written instanceof Uint8Array ? Buffer.from(written).toString() : String(written);
  calls.getStore()?.(text);
};

/** The functions that write to the output, and the position of the text in their arguments. */
const writers: readonly { readonly owner: object; readonly name: string; readonly at: 0 | 1 }[] = [
  { owner: process.stdout, name: 'write', at: 0 },
  { owner: process.stderr, name: 'write', at: 0 },
  { owner: fs, name: 'write', at: 1 },
  { owner: fs, name: 'writeSync', at: 1 },
];

const isOutput = (descriptor: unknown): boolean => descriptor === 1 || descriptor === 2;

/** Reads what a function writes. Returns a function that puts the original back. */
function watchWriter({ owner, name, at }: (typeof writers)[number]): () => void {
  const original: unknown = Reflect.get(owner, name);
  const isOwn = Object.hasOwn(owner, name);
  if (typeof original !== 'function') return () => {};
  const watched = new Proxy(original, {
    apply: (target, self, given: readonly unknown[]): unknown => {
      if (at === 0 || isOutput(given[0])) note(given[at]);
      return Reflect.apply(target, self, given);
    },
  });
  Reflect.set(owner, name, watched);
  return () => {
    // Another tool may have replaced it since.
    if (Reflect.get(owner, name) !== watched) return;
    if (isOwn) Reflect.set(owner, name, original);
    else Reflect.deleteProperty(owner, name);
  };
}

/** A test runner may have a console of its own, which writes later. */
const consoleChannels = ['log', 'info', 'debug', 'warn', 'error'].map((method) => channel(`console.${method}`));

const readConsole = (written: unknown): void => note(format(...(written as unknown[])));

let running = 0;
let unwatch: readonly (() => void)[] = [];

/**
 * Runs a call, and adds what it writes to the output of this process to the list: through the console, the streams or
 * the file descriptors. The functions that write are replaced only while a call runs.
 */
export async function readOutput<T>(method: string, written: WrittenText[], call: () => Promise<T>): Promise<T> {
  if (running++ === 0) {
    for (const each of consoleChannels) each.subscribe(readConsole);
    unwatch = writers.map(watchWriter);
    // An adapter may import `writeSync` by its name.
    syncBuiltinESMExports();
  }
  try {
    return await calls.run((text) => void written.push({ method, text }), call);
  } finally {
    if (--running === 0) {
      for (const each of consoleChannels) each.unsubscribe(readConsole);
      for (const each of unwatch) each();
      syncBuiltinESMExports();
    }
  }
}
