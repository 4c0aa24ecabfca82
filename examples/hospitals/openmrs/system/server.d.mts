export interface Openmrs {
  /** Below which all paths are. */
  readonly url: string;
  /** What it does, which a test may replace. */
  readonly hospital: {
    register(request: object): object;
    book(request: object): { readonly uuid: string };
    changeStatus(uuid: string, request: object): object;
    search(request: object): readonly object[];
    findByIdentifier(identifier: string): readonly object[];
    readonly appointments: {
      readonly uuid: string;
      status: string;
      readonly startDateTime: number;
      readonly endDateTime: number;
      readonly patient: { readonly uuid: string };
      providers: readonly { readonly provider: { readonly uuid: string }; readonly response: string }[];
    }[];
    readonly unavailabilities: object[];
    readonly providers: readonly { readonly uuid: string; readonly name: string }[];
  };
  close(): Promise<void>;
}

export function startOpenmrs(options?: { port?: number; users?: Record<string, string> }): Promise<Openmrs>;
