/**
 * A client of a platform that survives what goes wrong, with nothing but Node: a slot that somebody else took, an answer that
 * never came, a gateway that has too much to do, a list that lacks a record, and the night in which clocks go back.
 * `client.test.ts` lets each of them happen.
 */
export interface Gateway {
  readonly url: string;
  readonly token: string;
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

/**
 * Asks until there is an answer. A write has one key for all its tries, by which the gateway does it once.
 * @throws Problem
 */
export async function ask({ url, token }: Gateway, method: string, path: string, body?: unknown): Promise<Answer> {
  const headers: Record<string, string> = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  if (method !== 'GET') headers['Idempotency-Key'] = crypto.randomUUID();
  for (let tries = 1; ; tries++) {
    const request = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(`${url}${path}`, { ...request, signal: AbortSignal.timeout(30_000) }).catch(
      (error: unknown) => {
        // The answer was lost; what was asked for may be done.
        if (tries === TRIES) throw error;
      },
    );
    if (response?.ok) {
      return { body: await response.json(), omitted: Number(response.headers.get('Puente-Omitted') ?? 0) };
    }
    if (response && (tries === TRIES || !passing.includes(response.status))) {
      const { code } = (await response.json()) as { code: string };
      throw new Problem(response.status, code);
    }
    await response?.body?.cancel();
    await pause(Number(response?.headers.get('Retry-After') ?? 0.2 * 2 ** tries));
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
