export interface Sigho {
  /** Below which all paths are. */
  readonly url: string;
  /** What it does, which a test may replace. */
  readonly hospital: { book(form: object): number; readonly turnos: readonly { readonly paciente: number }[] };
  close(): Promise<void>;
}

export function startSigho(options?: {
  port?: number;
  users?: Record<string, string>;
  sessionRequests?: number;
}): Promise<Sigho>;
