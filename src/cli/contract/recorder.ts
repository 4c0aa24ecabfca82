import { buildCancellation } from '../../contract/arrange.ts';
import { listFamilyGroup } from '../../contract/queries.ts';
import { isPortsSubject, type Request, type Response, type Subject } from '../../contract/subject.ts';
import { Failure, type FailureKind, type PortName, type PortOf } from '../../ports/index.ts';

/** A request of a case and what came of it. */
export interface Exchange {
  readonly request: Request;
  /** Undefined when no answer came. */
  readonly response: Response | undefined;
  readonly ms: number;
}

/** Remembers what a case sends and gets, and what it leaves at the institution. */
export class Recorder {
  /** In the order in which they began. */
  readonly exchanges: Exchange[] = [];
  /** What ports returned, in process. */
  readonly returned: unknown[] = [];
  readonly traces = new Traces();

  /** Why the last request, or call of a port, got no answer; undefined when it got one, or there was none. */
  noAnswer: NoAnswer | undefined;

  /** The same subject, watched. */
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
      this.exchanges[at] = { request, response, ms: Math.round(performance.now() - startedAt) };
    };
    finish(undefined);
    try {
      const response = await subject.send(request);
      finish(response);
      this.noAnswer = explainResponse(response);
      this.traces.addAnswer(request, response);
      return response;
    } catch (error) {
      finish(undefined);
      this.noAnswer = explainError(error);
      if (!request.route.startsWith('GET ')) this.traces.addLost();
      throw error;
    }
  }

  /** Of a call that was too late from the start a failure is the answer. */
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
          this.returned.push(structuredClone(returned));
          this.traces.addCall(`${name}.${String(method)}`, given, returned);
          return returned;
        };
      },
    });
  }
}

/** Why there is nothing to judge: a system that is slow, or away, has broken no promise. */
export interface NoAnswer {
  /** E.g. `no answer came: 503 overloaded`. */
  readonly why: string;
  /** True if nothing at all may be there; else it is slow. */
  readonly isAway: boolean;
}

const kinds: ReadonlySet<FailureKind> = new Set(['unavailable', 'timeout', 'overloaded', 'outcome_unknown']);
const awayCodes = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

/** Undefined where the response is an answer. One of a gateway whose system is slow or away is none. */
function explainResponse({ status, body }: Response): NoAnswer | undefined {
  const code = getText(body, 'code');
  // A system whose answer cannot be understood is there.
  if (![502, 503, 504].includes(status) || code === 'backend_invalid_response') return undefined;
  // Another server than Puente may say anything there.
  const known = /^[a-z_]{1,60}$/.test(code) ? ` ${code}` : '';
  return { why: `no answer came: ${status}${known}`, isAway: status === 502 };
}

/** What a request or the method of a port failed with; undefined where that is an answer, or a fault. */
export function explainError(error: unknown): NoAnswer | undefined {
  if (error instanceof Failure) {
    if (!kinds.has(error.kind)) return undefined;
    return { why: `no answer came: ${error.kind}`, isAway: error.kind === 'unavailable' };
  }
  const [name, cause] = [getField(error, 'name'), getField(error, 'cause')];
  if (name === 'TimeoutError') return { why: 'no answer came in time', isAway: false };
  if (name !== 'TypeError' || cause === undefined) return undefined;
  const code = getText(cause, 'code') || 'failed';
  return { why: `no answer came: ${code}`, isAway: awayCodes.test(code) };
}

type BookedAppointment = Readonly<Record<'patientId' | 'id', string>>;
type AddedRelative = Readonly<Record<'patientId' | 'relatedPatientId', string>>;

/** What the API creates and cannot take back. */
type Lasting = 'patients' | 'tickets' | 'coverages' | 'change requests';

const countNothing = (): Record<Lasting, number> => ({ patients: 0, tickets: 0, coverages: 0, 'change requests': 0 });

/** By the routes and the methods that create it. */
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

/** What cases left at an institution, as far as its answers tell. */
class Traces {
  readonly #appointments = new Map<string, BookedAppointment>();
  readonly #relatives = new Map<string, AddedRelative>();
  readonly counts = countNothing();
  /** Writes whose outcome is unknown, because no answer came. */
  lost = 0;

  /** Booked and not canceled again. */
  get appointments(): readonly BookedAppointment[] {
    return [...this.#appointments.values()];
  }

  /** Added, and perhaps removed again. */
  get relatives(): readonly AddedRelative[] {
    return [...this.#relatives.values()];
  }

  addLost(): void {
    this.lost++;
  }

  /** Notes what a request created, from its answer. */
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

  /** Notes what a call of a port created. */
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

/** The value at that key of an object; undefined for everything else. */
export const getField = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;

/** The same, where it is text; otherwise an empty text. */
export const getText = (value: unknown, key: string): string => {
  const found = getField(value, key);
  return typeof found === 'string' ? found : '';
};

/** What the run left at the institution, e.g. `12 patients`. */
export const listRemaining = ({ remaining }: CleanUp): string[] =>
  Object.entries(remaining).flatMap(([kind, number]) =>
    number === 0 ? [] : [`${number} ${number === 1 ? kind.replace(/s$/, '') : kind}`],
  );

/** What became of the things that a run left at an institution. */
export interface CleanUp {
  canceledAppointments: number;
  removedRelatives: number;
  /** What the API cannot take back. */
  readonly remaining: Record<Lasting, number>;
  /** Writes whose outcome is unknown. */
  lost: number;
  /** What could not be taken back, and why, one line each. */
  readonly failures: string[];
}

export const createCleanUp = (): CleanUp => ({
  canceledAppointments: 0,
  removedRelatives: 0,
  remaining: countNothing(),
  lost: 0,
  failures: [],
});

/** Cancels the appointments that are left and removes the relatives, and adds to `done` what came of it. Never throws. */
export async function cleanUp(subject: Subject, traces: Traces, done: CleanUp): Promise<void> {
  for (const [kind, count] of Object.entries(traces.counts)) done.remaining[kind as Lasting] += count;
  done.lost += traces.lost;
  for (const appointment of traces.appointments) await cancel(subject, appointment, done);
  for (const relative of traces.relatives) await remove(subject, relative, done);
}

async function cancel(subject: Subject, { patientId, id }: BookedAppointment, done: CleanUp): Promise<void> {
  const name = `appointment ${id}`;
  if (!subject.supports('appointments.cancel')) {
    done.failures.push(`${name} stays: appointments.cancel is not offered`);
    return;
  }
  const refusal = await attempt(subject, buildCancellation(patientId, id));
  if (refusal === undefined) done.canceledAppointments++;
  else done.failures.push(`${name} stays: canceling it answered ${refusal}`);
}

async function remove(subject: Subject, relative: AddedRelative, done: CleanUp): Promise<void> {
  const { patientId, relatedPatientId } = relative;
  const members = await listFamilyGroup(subject, patientId).catch(() => undefined);
  if (!members) done.failures.push('a family group member may stay: the family group cannot be read');
  for (const member of members ?? []) {
    if (getText(member, 'related_patient_id') !== relatedPatientId) continue;
    const id = getText(member, 'id');
    if (!subject.supports('family-groups.remove')) {
      done.failures.push(`family group member ${id} stays: family-groups.remove is not offered`);
      continue;
    }
    const refusal = await attempt(subject, {
      route: 'DELETE /patients/{id}/family_group/{family_group_member_id}',
      params: { id: patientId, family_group_member_id: id },
    });
    if (refusal === undefined) done.removedRelatives++;
    else done.failures.push(`family group member ${id} stays: removing it answered ${refusal}`);
  }
}

/** What was answered instead of success; undefined for success. */
async function attempt(subject: Subject, request: Request): Promise<string | undefined> {
  try {
    const { status, body } = await subject.send(request);
    return status < 300 ? undefined : [status, getText(body, 'code')].filter(Boolean).join(' ');
  } catch {
    return 'nothing';
  }
}
