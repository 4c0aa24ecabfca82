/**
 * A client of a platform that survives what goes wrong, with nothing but Node: fifteen things, of which `client.test.ts` lets each
 * happen and says what a right client does.
 */
export interface Gateway {
  readonly url: string;
  readonly token: string;
  /** Milliseconds for one try; default: 30,000. */
  readonly timeout?: number;
}

/** What the gateway answers instead (RFC 9457), by its stable code. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(`${status} ${code}`);
    this.status = status;
    this.code = code;
  }
}

export interface Answer {
  readonly body: unknown;
  /** How many records a list lacks, because they cannot be shown. */
  readonly omitted: number;
}

export interface Slot {
  readonly date: string;
  readonly health_care_service_id: string;
  readonly practitioner_id: string;
}

const TRIES = 5;
/** Of these nobody knows whether the next try helps; what was refused for another reason stays refused. */
const passing = [429, 502, 503, 504];
const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** One try, with the whole body: an answer that is cut, garbled or late is as good as lost. */
async function attempt({ url, token, timeout = 30_000 }: Gateway, path: string, request: RequestInit) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...request.headers };
  const response = await fetch(url + path, { ...request, headers, signal: AbortSignal.timeout(timeout) });
  return { status: response.status, headers: response.headers, body: (await response.json()) as unknown };
}

/**
 * Asks until there is an answer. A write has one key for all its tries, by which the gateway does it once.
 * @throws Problem
 */
export async function ask(gateway: Gateway, method: string, path: string, body?: unknown): Promise<Answer> {
  const headers: Record<string, string> = method === 'GET' ? {} : { 'Idempotency-Key': crypto.randomUUID() };
  const request = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  for (let tries = 1; ; tries++) {
    const answer = await attempt(gateway, path, request).catch((error: unknown) => {
      // The answer was lost; what was asked for may be done.
      if (tries === TRIES) throw error;
    });
    if (answer && answer.status < 300)
      return { body: answer.body, omitted: Number(answer.headers.get('Puente-Omitted') ?? 0) };
    const { code } = (answer?.body ?? {}) as { code?: string };
    // A key whose first request still runs has its answer soon.
    const mayPass = !answer || passing.includes(answer.status) || code === 'idempotency_key_in_use';
    if (answer && (tries === TRIES || !mayPass)) throw new Problem(answer.status, code ?? '');
    await pause(Number(answer?.headers.get('Retry-After') ?? 0.2 * 2 ** tries));
  }
}

/** Books the first of the slots that is still free, or none. */
export async function bookFirst(gateway: Gateway, patient: string, slots: readonly Slot[]): Promise<Slot | undefined> {
  for (const slot of slots) {
    const { health_care_service_id, practitioner_id, date } = slot;
    try {
      const booking = { health_care_service_id, practitioner_id, date };
      await ask(gateway, 'POST', `/patients/${encodeURIComponent(patient)}/appointments`, booking);
      return slot;
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'slot_taken') throw error;
    }
  }
  return undefined;
}

interface Page {
  readonly data: readonly { readonly id: string }[];
  readonly pagination: { readonly totalElements: number; readonly totalPages: number };
}

/**
 * The ids of all rows of a paged list, each once. Rows move between pages when others come or go meanwhile, which another total
 * tells: then it begins anew.
 * @param onPage is called after each page.
 */
export async function readPages(gateway: Gateway, path: string, onPage?: () => Promise<void>): Promise<string[]> {
  for (let tries = 1; tries <= TRIES; tries++) {
    const ids = new Set<string>();
    const totals = new Set<number>();
    for (let page = 0, pages = 1; page < pages; page++) {
      const { data, pagination } = (await ask(gateway, 'GET', `${path}&page=${page}`)).body as Page;
      for (const { id } of data) ids.add(id);
      totals.add(pagination.totalElements);
      pages = pagination.totalPages;
      await onPage?.();
    }
    if (totals.size <= 1) return [...ids];
  }
  throw new Error('the list changes all the time');
}

/**
 * The moment of a local time, as the API has it, in the institution's zone. Of the two in the night in which clocks go back it is
 * the first, as the gateway means it; undefined where clocks skip it.
 */
export function toMoment(local: string, timeZone: string): Date | undefined {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const toLocal = (moment: number) => format.format(moment).replace(' ', 'T');
  const asUtc = Date.parse(`${local}Z`);
  const found = [asUtc - 86_400_000, asUtc + 86_400_000]
    .map((nearby) => asUtc - (Date.parse(`${toLocal(nearby)}Z`) - nearby))
    .filter((moment) => toLocal(moment) === local);
  return found.length === 0 ? undefined : new Date(Math.min(...found));
}
