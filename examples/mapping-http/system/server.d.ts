export interface Sigho {
  /** Below which all paths are. */
  readonly url: string;
  close(): Promise<void>;
}

export function startSigho(options?: {
  port?: number;
  users?: Record<string, string>;
  sessionRequests?: number;
}): Promise<Sigho>;
