import { Failure, type FailureKind, type PortName, type PortOf } from '../ports/index.ts';
import { getField } from '../toolkit/records.ts';
import { buildCancellation } from './arrange.ts';
import { listFamilyGroup } from './queries.ts';
import { isPortsSubject, type Request, type Response, type Subject } from './subject.ts';

/** A request of a case and its result. */
export interface Exchange {
  readonly request: Request;
  /** Undefined without an answer. */
  readonly response: Response | undefined;
  readonly ms: number;
}

/** Records the requests and answers of a case, and the records that it creates at the institution. */
export class Recorder {
  /** In the order of their start. Empty unless they are kept. */
  readonly exchanges: Exchange[] = [];
  /** The values that ports returned, if the contract runs in process. Empty unless they are kept. */
  readonly returned: unknown[] = [];
  readonly traces = new Traces();
  /** The first read that was answered. */
  answeredRead: Request | undefined;
  readonly #keeps: boolean;

  /** The reason why the last request or port call got no answer. Undefined if it got one, or if there was none. */
  noAnswer: NoAnswer | undefined;

  /** @param keeps whether exchanges and returned values are kept. A case that measures memory would count them. */
  constructor({ keeps }: { readonly keeps: boolean }) {
    this.#keeps = keeps;
  }

  /** Wraps the subject to record its calls. */
  watch(subject: Subject): Subject {
    const watched = { ...subject, send: (request: Request) => this.#send(subject, request) };
    if (!isPortsSubject(subject)) return watched;
    const getPort = <N extends PortName>(name: N): PortOf<N> => this.#watchPort(name, subject.getPort(name));
    return Object.assign(watched, { getPort });
  }

  async #send(subject: Subject, request: Request): Promise<Response> {
    const startedAt = performance.now();
    const at = this.exchanges.length;
    const finish = (response: Response | undefined) => {
      if (this.#keeps) this.exchanges[at] = { request, response, ms: Math.round(performance.now() - startedAt) };
    };
    finish(undefined);
    try {
      const response = await subject.send(request);
      finish(response);
      this.noAnswer = explainResponse(response);
      if (request.route.startsWith('GET ') && response.status === 200) this.answeredRead ??= request;
      this.traces.addAnswer(request, response);
      return response;
    } catch (error) {
      finish(undefined);
      this.noAnswer = explainError(error);
      if (!request.route.startsWith('GET ')) this.traces.addLost();
      throw error;
    }
  }

  /** If the call's deadline had passed before, a failure counts as an answer. */
  async #call(call: () => unknown, given: readonly unknown[]): Promise<unknown> {
    this.noAnswer = undefined;
    try {
      return await call();
    } catch (error) {
      const signal = getField(given.at(-1), 'signal');
      if (getField(signal, 'aborted') !== true) this.noAnswer = explainError(error);
      throw error;
    }
  }

  #watchPort<N extends PortName>(name: N, port: PortOf<N>): PortOf<N> {
    return new Proxy(port, {
      get: (target, method) => {
        const found: unknown = Reflect.get(target, method, target);
        if (typeof found !== 'function') return found;
        return async (...given: readonly unknown[]) => {
          const returned = await this.#call(() => Reflect.apply(found, target, given), given);
          if (this.#keeps) this.returned.push(copy(returned));
          this.traces.addCall(`${name}.${String(method)}`, given, returned);
          return returned;
        };
      },
    });
  }
}

/** Copies the value, because an adapter may change it later. A record with a function in it cannot be copied. */
function copy(returned: unknown): unknown {
  try {
    return structuredClone(returned);
  } catch {
    return returned;
  }
}

/** The reason for an open result: a slow or unreachable system has broken no promise. */
export interface NoAnswer {
  /** E.g. `no answer came: 503 overloaded`. */
  readonly why: string;
  /** True if the system may be unreachable. Otherwise it is slow. */
  readonly isAway: boolean;
}

const kinds: ReadonlySet<FailureKind> = new Set(['unavailable', 'timeout', 'overloaded', 'outcome_unknown']);
const awayCodes = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

/** Undefined if the response is an answer. A gateway's response about a slow or unreachable system is not an answer. */
function explainResponse({ status, body }: Response): NoAnswer | undefined {
  const code = getText(body, 'code');
  // A system whose answer cannot be understood is reachable.
  if (![502, 503, 504].includes(status) || code === 'backend_invalid_response') return undefined;
  // A server other than Puente may send any text as the code.
  const known = /^[a-z_]{1,60}$/.test(code) ? ` ${code}` : '';
  return { why: `no answer came: ${status}${known}`, isAway: status === 502 };
}

/** Explains the error of a request or a port call. Undefined if the error is an answer or a bug. */
export function explainError(error: unknown): NoAnswer | undefined {
  if (error instanceof Failure) {
    if (!kinds.has(error.kind)) return undefined;
    return { why: `no answer came: ${error.kind}`, isAway: error.kind === 'unavailable' };
  }
  const [name, cause] = [getField(error, 'name'), getField(error, 'cause')];
  if (name === 'TimeoutError') return { why: 'no answer arrived in time', isAway: false };
  if (name !== 'TypeError' || cause === undefined) return undefined;
  const code = getText(cause, 'code') || 'failed';
  return { why: `no answer came: ${code}`, isAway: awayCodes.test(code) };
}

type BookedAppointment = Readonly<Record<'patientId' | 'id', string>>;
type AddedRelative = Readonly<Record<'patientId' | 'relatedPatientId', string>>;

/** The records that the API creates and cannot delete. */
type Lasting = 'patients' | 'tickets' | 'coverages' | 'change requests';

const countNothing = (): Record<Lasting, number> => ({ patients: 0, tickets: 0, coverages: 0, 'change requests': 0 });

/** By the route and the method that create it. */
const creations: Readonly<Record<string, Lasting>> = {
  'POST /patients/': 'patients',
  'POST /patients/{id}/ticket_type/{ticket_type_id}/ticket': 'tickets',
  'POST /v1/coverages': 'coverages',
  'POST /patients/{id}/practitioner/change_request': 'change requests',
  'patients.register': 'patients',
  'tickets.open': 'tickets',
  'insurance.create': 'coverages',
  'practitioners.requestChange': 'change requests',
};

/** The records that cases left at an institution, as far as responses show. */
class Traces {
  readonly #appointments = new Map<string, BookedAppointment>();
  readonly #relatives = new Map<string, AddedRelative>();
  readonly counts = countNothing();
  /** The number of writes with an unknown outcome, because no answer came. */
  lost = 0;

  /** True if the case left nothing to undo or to count. */
  get isEmpty(): boolean {
    const counts = [...Object.values(this.counts), this.lost, this.#appointments.size, this.#relatives.size];
    return counts.every((count) => count === 0);
  }

  /** The appointments that were booked and not canceled. */
  get appointments(): readonly BookedAppointment[] {
    return [...this.#appointments.values()];
  }

  /** The relatives that were added. Some may have been removed since. */
  get relatives(): readonly AddedRelative[] {
    return [...this.#relatives.values()];
  }

  addLost(): void {
    this.lost++;
  }

  /** Records what a request created, by its answer. */
  addAnswer({ route, params = {}, body }: Request, { status, headers, body: answer }: Response): void {
    if (status < 200 || status > 299) return;
    const kind = creations[route];
    if (kind) this.counts[kind]++;
    const patientId = params.id ?? '';
    if (route === 'POST /patients/{id}/appointments') {
      this.#book(patientId, decodeURIComponent(headers.location?.split('/').at(-1) ?? ''));
    } else if (route === 'POST /v1/appointments') {
      this.#book(getText(body, 'patientId'), getText(getField(answer, 'model'), 'id'));
    } else if (route === 'PUT /patients/{id}/appointments/{appointment_id}') {
      this.#appointments.delete(params.appointment_id ?? '');
    } else if (route === 'POST /patients/{id}/family_group') {
      this.#relate(patientId, getText(body, 'related_patient_id'));
    }
  }

  /** Records what a port call created. */
  addCall(name: string, given: readonly unknown[], returned: unknown): void {
    const kind = creations[name];
    if (kind) this.counts[kind]++;
    const [patientId, second] = given;
    if (name === 'appointments.book') this.#book(String(patientId), getText(returned, 'id'));
    else if (name === 'appointments.cancel') this.#appointments.delete(String(second));
    else if (name === 'family-groups.add') this.#relate(String(patientId), getText(second, 'relatedPatientId'));
  }

  #book(patientId: string, id: string): void {
    if (patientId !== '' && id !== '') this.#appointments.set(id, { patientId, id });
  }

  #relate(patientId: string, relatedPatientId: string): void {
    this.#relatives.set(`${patientId} ${relatedPatientId}`, { patientId, relatedPatientId });
  }
}

/** The field of a value of any kind if it is a text. Empty for any other value. */
export const getText = (value: unknown, key: string): string => {
  const found = getField(value, key);
  return typeof found === 'string' ? found : '';
};

/** Lists the records that the run left at the institution, e.g. `12 patients`. */
export const listRemaining = ({ remaining }: CleanUp): string[] =>
  Object.entries(remaining).flatMap(([kind, number]) =>
    number === 0 ? [] : [`${number} ${number === 1 ? kind.replace(/s$/, '') : kind}`],
  );

/** The result of the cleanup after a run. */
export interface CleanUp {
  canceledAppointments: number;
  removedRelatives: number;
  /** The records that the API cannot delete. */
  readonly remaining: Record<Lasting, number>;
  /** The number of writes with an unknown outcome. */
  lost: number;
  /** The failed cleanups with their reasons, one line each. */
  readonly failures: string[];
}

export const createCleanUp = (): CleanUp => ({
  canceledAppointments: 0,
  removedRelatives: 0,
  remaining: countNothing(),
  lost: 0,
  failures: [],
});

/** Cancels the remaining appointments and removes the relatives, and adds the results to `done`. Never throws. */
export async function cleanUp(subject: Subject, traces: Traces, done: CleanUp): Promise<void> {
  for (const [kind, count] of Object.entries(traces.counts)) done.remaining[kind as Lasting] += count;
  done.lost += traces.lost;
  for (const appointment of traces.appointments) await cancel(subject, appointment, done);
  for (const relative of traces.relatives) await remove(subject, relative, done);
}

async function cancel(subject: Subject, { patientId, id }: BookedAppointment, done: CleanUp): Promise<void> {
  const name = `appointment ${id}`;
  if (!subject.supports('appointments.cancel')) {
    done.failures.push(`${name} remains: appointments.cancel is not offered`);
    return;
  }
  const refusal = await attempt(subject, buildCancellation(patientId, id));
  if (refusal === undefined) done.canceledAppointments++;
  else done.failures.push(`${name} remains: its cancellation answered ${refusal}`);
}

async function remove(subject: Subject, relative: AddedRelative, done: CleanUp): Promise<void> {
  const { patientId, relatedPatientId } = relative;
  const members = await listFamilyGroup(subject, patientId).catch(() => undefined);
  if (!members) done.failures.push('a family group member may remain: the family group cannot be read');
  for (const member of members ?? []) {
    if (getText(member, 'related_patient_id') !== relatedPatientId) continue;
    const id = getText(member, 'id');
    if (!subject.supports('family-groups.remove')) {
      done.failures.push(`family group member ${id} remains: family-groups.remove is not offered`);
      continue;
    }
    const refusal = await attempt(subject, {
      route: 'DELETE /patients/{id}/family_group/{family_group_member_id}',
      params: { id: patientId, family_group_member_id: id },
    });
    if (refusal === undefined) done.removedRelatives++;
    else done.failures.push(`family group member ${id} remains: its removal answered ${refusal}`);
  }
}

/** Returns a failed request's result. Undefined after a success. */
async function attempt(subject: Subject, request: Request): Promise<string | undefined> {
  try {
    const { status, body } = await subject.send(request);
    return status < 300 ? undefined : [status, getText(body, 'code')].filter(Boolean).join(' ');
  } catch {
    return 'nothing';
  }
}
