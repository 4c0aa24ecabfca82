import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The command of a Chromium of this machine: what `CHROMIUM` names, or one in the path. */
export const findChromium = (): string | undefined =>
  [process.env.CHROMIUM ?? [], names].flat().find((name) => spawnSync(name, ['--version']).status === 0);

export interface Screen {
  readonly width: number;
  readonly height: number;
  readonly mobile?: boolean;
  readonly dark?: boolean;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: object;
  readonly sessionId?: string;
}

/** A headless Chromium that is told by the DevTools protocol what to do. */
export class Chromium {
  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (message: Message) => void>();
  readonly #listeners = new Set<(message: Message) => void>();
  #sent = 0;

  private constructor(process: ChildProcess, profile: string, socket: WebSocket) {
    this.#process = process;
    this.#profile = profile;
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const message: Message = JSON.parse(String(data));
      if (message.id !== undefined) this.#waiting.get(message.id)?.(message);
      else for (const listen of this.#listeners) listen(message);
    });
  }

  static async start(command: string): Promise<Chromium> {
    const profile = mkdtempSync(join(tmpdir(), 'puente-chromium-'));
    const options = ['--headless', '--no-sandbox', '--disable-gpu', '--remote-debugging-port=0', '--no-first-run'];
    const child = spawn(command, [...options, `--user-data-dir=${profile}`, 'about:blank'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    for await (const part of child.stderr.setEncoding('utf8')) {
      said += part;
      const [address] = /ws:\/\/\S+/.exec(said) ?? [];
      if (address === undefined) continue;
      child.stderr.destroy();
      const socket = new WebSocket(address);
      await once(socket, 'open');
      return new Chromium(child, profile, socket);
    }
    throw new Error(`${command} did not start: ${said}`);
  }

  /** @throws Error when the browser refuses the command. */
  async send(method: string, params: object = {}, sessionId?: string): Promise<Readonly<Record<string, unknown>>> {
    const id = ++this.#sent;
    const answer = new Promise<Message>((resolve) => this.#waiting.set(id, resolve));
    this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    const { error, result = {} } = await answer;
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  listen(listener: (message: Message) => void): void {
    this.#listeners.add(listener);
  }

  /** A new tab with a screen of its own. */
  async openTab(screen: Screen): Promise<Tab> {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const tab = new Tab(this, String(sessionId));
    await tab.prepare(screen);
    return tab;
  }

  async stop(): Promise<void> {
    this.#socket.close();
    const ended = once(this.#process, 'exit');
    this.#process.kill();
    await ended;
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

const keyCodes: Readonly<Record<string, number>> = { Enter: 13, Escape: 27, End: 35, Home: 36, ArrowDown: 40 };

/** One tab: what a person does in it, and what they see. */
export class Tab {
  readonly #browser: Chromium;
  readonly #session: string;
  /** The addresses that it asked for. */
  readonly requests: string[] = [];
  /** The headers that its scripts gave each of these requests. */
  readonly sent: Readonly<Record<string, string>>[] = [];
  /** What the browser complains about, but for answers that are problems. */
  readonly complaints: string[] = [];

  constructor(browser: Chromium, session: string) {
    this.#browser = browser;
    this.#session = session;
    browser.listen(({ method, params = {}, sessionId }) => {
      if (sessionId !== session) return;
      if (method === 'Network.requestWillBeSent') {
        this.requests.push(Object(params.request).url);
        this.sent.push(Object(params.request).headers);
      }
      if (method === 'Runtime.exceptionThrown') this.complaints.push(JSON.stringify(params));
      const { level, source, text } = Object(params.entry);
      if (method === 'Log.entryAdded' && level === 'error' && source !== 'network') this.complaints.push(text);
    });
  }

  async prepare({ width, height, mobile = false, dark = false }: Screen): Promise<void> {
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await this.send(`${domain}.enable`);
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, mobile, deviceScaleFactor: 1 });
    const features = [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }];
    await this.send('Emulation.setEmulatedMedia', { features });
  }

  send(method: string, params: object = {}): Promise<Readonly<Record<string, unknown>>> {
    return this.#browser.send(method, params, this.#session);
  }

  async go(url: string): Promise<void> {
    const loaded = new Promise<void>((resolve) =>
      this.#browser.listen(({ method, sessionId }) => {
        if (method === 'Page.loadEventFired' && sessionId === this.#session) resolve();
      }),
    );
    await this.send('Page.navigate', { url });
    await loaded;
  }

  /** The value of an expression in the page. @throws Error when that throws. */
  async evaluate(expression: string): Promise<unknown> {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
    return Object(result).value;
  }

  /** Waits until an expression is true, ten seconds at most. */
  async waitFor(expression: string): Promise<void> {
    await this.evaluate(`new Promise((resolve, reject) => {
      const end = Date.now() + 10_000;
      const look = () => (${expression}) ? resolve() : Date.now() > end ? reject(new Error('never')) : setTimeout(look, 20);
      look();
    })`);
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const each of keys) {
      const key = each.replace('Shift+', '');
      const modifiers = each === key ? 0 : 8;
      const text = key === 'Enter' ? '\r' : key.length === 1 ? key : undefined;
      const stroke = { key, code: key, windowsVirtualKeyCode: keyCodes[key], ...(text && { text }), modifiers };
      await this.send('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', ...stroke });
      await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...stroke });
    }
  }

  type(text: string): Promise<unknown> {
    return this.send('Input.insertText', { text });
  }

  /** Clicks in the middle of the element that an expression finds, as soon as it is there. */
  async click(expression: string): Promise<void> {
    await this.waitFor(expression);
    await this.evaluate(`(${expression}).scrollIntoView({ block: 'center' })`);
    // What moves has come to rest when two looks see it in one place.
    const look = () =>
      this.evaluate(
        `(({ x, y, width, height }) => [x + width / 2, y + height / 2])((${expression}).getBoundingClientRect())`,
      );
    let place = JSON.stringify(await look());
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 150));
      const next = JSON.stringify(await look());
      if (next === place) break;
      place = next;
    }
    const [x, y] = JSON.parse(place);
    for (const type of ['mousePressed', 'mouseReleased'])
      await this.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
  }
}

/** What axe finds wrong with the page that the tab shows: the rules, each with the elements. */
export async function listViolations(tab: Tab): Promise<readonly (readonly [rule: string, elements: unknown])[]> {
  await tab.evaluate(`${axe.source};undefined`);
  const found = await tab.evaluate(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))`,
  );
  return Array.isArray(found) ? found.map(([rule, elements]: unknown[]) => [String(rule), elements] as const) : [];
}
