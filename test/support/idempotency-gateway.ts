import { createHash } from 'node:crypto';
import { afterEach } from '@jest/globals';
import type { Booking, Call, Capability } from '../../src/ports/index.ts';
import { parts } from '../../src/runtime/parts.ts';
import { type State, StateUnavailable } from '../../src/state/state.ts';
import { type RunningGateway, startGateway } from './gateway.ts';

type Book = (patientId: string, booking: Booking, call: Call) => Promise<{ readonly id: string }>;

/** The token of a second client, who may do all that the first may. */
export const otherToken = 'puente_00000001_another-client-for-the-tests-of-idempotency';
const environment = {
  PUENTE_HTTP_WRITE_DEADLINE: '1000',
  PUENTE_AUTH_TOKENS: JSON.stringify([
    { client: 'other', sha256: createHash('sha256').update(otherToken).digest('hex'), scopes: 'all' },
  ]),
};
/** A booking that is well formed. */
export const body = { date: '2099-01-05T09:00:00', practitioner_id: 'd', health_care_service_id: 's' };

/** What the gateway answered to one request. */
export interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly text: string;
  readonly headers: Headers;
}

/** A backend that keeps bookings under their keys, as an adapter does that resolves what is unknown. */
class Backend {
  readonly booked = new Map<string, string>();
  calls = 0;
  /** What happens with the booking that comes next, before and after it is kept. */
  before: () => unknown = () => undefined;
  after: () => unknown = () => undefined;

  readonly book: Book = async (_patientId, _booking, { client, idempotencyKey = String(this.calls) }) => {
    this.calls++;
    const key = `${client} ${idempotencyKey}`;
    const known = this.booked.get(key);
    if (known) return { id: known };
    await this.before();
    this.booked.set(key, `booking-${this.booked.size + 1}`);
    await this.after();
    return { id: this.booked.get(key) ?? '' };
  };
}

/**
 * Gateways in front of such a backend, whose state has a clock that can be set and can fail; they and their state end with
 * the test that started them.
 */
export function useIdempotencyGateways(open: () => Promise<State> | State) {
  const running: { readonly gateway: RunningGateway; readonly state: State }[] = [];
  afterEach(async () => {
    for (const { gateway, state } of running.splice(0)) {
      await gateway.stop();
      await state.close();
    }
  });

  return async ({ retryable = true, more = {} } = {}) => {
    const backend = new Backend();
    const state = await open();
    const time = { now: 1_000_000_000_000 };
    const store = { claims: true, settles: true };
    const { idempotency } = state;
    const refuse = async () => {
      throw new StateUnavailable('down', 'ECONNREFUSED');
    };
    const gateway = await startGateway({
      environment: { ...environment, ...more },
      replacePort: (name, port) => (name === 'appointments' ? { book: backend.book, cancel: async () => {} } : port),
      rebind: (container) => {
        if (!retryable)
          container.onActivation(parts.offered, (_, offered) => ({
            ...offered,
            retryableWrites: new Set<Capability>(),
          }));
      },
      state: {
        ...state,
        now: () => time.now,
        idempotency: {
          claim: (...given) => (store.claims ? idempotency.claim(...given) : refuse()),
          reclaim: (...given) => idempotency.reclaim(...given),
          settle: (...given) => (store.settles ? idempotency.settle(...given) : refuse()),
          prune: (...given) => idempotency.prune(...given),
        },
      },
    });
    running.push({ gateway, state });
    const send = async (
      key: string | undefined,
      { token = gateway.token, path = '/patients/ana/appointments', method = 'POST', text = JSON.stringify(body) } = {},
    ): Promise<Answer> => {
      const response = await fetch(`${gateway.url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          ...(key !== undefined && { 'idempotency-key': key }),
        },
        body: text,
      });
      const answer = await response.text();
      const { code } = JSON.parse(answer) as { code?: string };
      return { status: response.status, code, text: answer, headers: response.headers };
    };
    const events = () => gateway.lines.map((line) => (JSON.parse(line) as { event: string }).event);
    return { backend, time, store, send, events };
  };
}
