/**
 * What befalls the bytes of a connection, by the names of Toxiproxy. Times are milliseconds, sizes bytes, a rate kB a second.
 * `down` is no toxic there either: see `FaultServer.down`.
 */
export type Toxic = (
  | { readonly type: 'latency'; readonly latency: number }
  | { readonly type: 'bandwidth'; readonly rate: number }
  /** The end of a connection comes later. */
  | { readonly type: 'slow_close'; readonly delay: number }
  /** Nothing passes, and the connection is closed when the time is over; 0: never. */
  | { readonly type: 'timeout'; readonly timeout: number }
  /** The connection is reset (RST) when the time is over. */
  | { readonly type: 'reset_peer'; readonly timeout: number }
  | { readonly type: 'slicer'; readonly average_size: number; readonly delay: number }
  /** The connection is closed (FIN) after so many bytes. */
  | { readonly type: 'limit_data'; readonly bytes: number }
) & {
  /** From the caller to the server, or back, which is the default. */
  readonly stream?: 'upstream' | 'downstream';
  /** How many bytes pass untouched before; not in Toxiproxy. */
  readonly after?: number;
  /** Only connections that are open already, as those of a pool; not in Toxiproxy. */
  readonly on?: 'open connections';
};

/** What a toxic does to the connection; none of these fails. */
export interface Line {
  /** Sends this on. */
  write(bytes: Buffer): void;
  close(): void;
  reset(): void;
  pause(milliseconds: number): Promise<void>;
}

/** Lets bytes pass as the toxic has it; `passed` have done so before, since there is this toxic. */
export async function pass(bytes: Buffer, passed: number, toxic: Toxic | undefined, line: Line): Promise<void> {
  if (!toxic) return line.write(bytes);
  const untouched = Math.max(0, (toxic.type === 'limit_data' ? toxic.bytes : (toxic.after ?? 0)) - passed);
  if (untouched > 0) line.write(bytes.subarray(0, untouched));
  const rest = bytes.subarray(untouched);
  // A limit closes with the last byte that may pass; every other toxic waits for a byte to befall.
  if (rest.length === 0 && (toxic.type !== 'limit_data' || untouched > bytes.length)) return;
  switch (toxic.type) {
    case 'latency':
      await line.pause(toxic.latency);
      return line.write(rest);
    case 'bandwidth':
      return writeInParts(rest, Math.max(1, Math.round(toxic.rate * 10)), 10, line);
    case 'slicer':
      return writeInParts(rest, toxic.average_size, toxic.delay, line);
    case 'slow_close':
      return line.write(rest);
    case 'limit_data':
      return line.close();
    case 'reset_peer':
      await line.pause(toxic.timeout);
      return line.reset();
    case 'timeout':
      if (toxic.timeout === 0) return;
      await line.pause(toxic.timeout);
      return line.close();
  }
}

async function writeInParts(bytes: Buffer, size: number, delay: number, line: Line): Promise<void> {
  for (let at = 0; at < bytes.length; at += size) {
    line.write(bytes.subarray(at, at + size));
    await line.pause(delay);
  }
}
