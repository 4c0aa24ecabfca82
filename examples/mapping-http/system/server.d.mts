export interface Sigho {
  /** Below which all paths are. */
  readonly url: string;
  /** What it does, which a test may replace. */
  readonly hospital: {
    book(form: object): number;
    readonly turnos: readonly {
      readonly numero: number;
      readonly paciente: number;
      readonly estado: string;
      readonly horarios: readonly { readonly dia: string; readonly hora: string }[];
    }[];
    readonly pacientes: readonly { readonly documentos: readonly (readonly [type: string, number: string])[] }[];
    readonly afiliaciones: readonly { readonly credencial: string }[];
  };
  close(): Promise<void>;
}

export function startSigho(options?: {
  port?: number;
  users?: Record<string, string>;
  sessionRequests?: number;
}): Promise<Sigho>;
