import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SlotA } from '../../../src/contract/resources.ts';

const PAUSE_MS = 500;

/** Books and cancels by turns; what has no certain answer is sent again under its key, as a platform would. */
export class BookingCycle {
  /** What was acknowledged. */
  readonly figures = { booked: 0, canceled: 0, refused: 0, repeated: 0 };
  readonly #url: string;
  readonly #token: string;
  readonly #patientIds: readonly string[];
  readonly #slots: readonly SlotA[];

  constructor(url: string, token: string, patientIds: readonly string[], slots: readonly SlotA[]) {
    this.#url = url;
    this.#token = token;
    this.#patientIds = patientIds;
    this.#slots = slots;
  }

  /** Ends after the cancellation of what it booked last. */
  async run(signal: AbortSignal): Promise<void> {
    for (let turn = 0; !signal.aborted; turn++) {
      await sleep(PAUSE_MS);
      const slot = this.#slots[turn % this.#slots.length];
      const patientId = this.#patientIds[turn % this.#patientIds.length];
      if (!slot || !patientId) throw new Error('there is nothing to book');
      const { health_care_service_id, practitioner_id, date } = slot;
      const path = `/patients/${patientId}/appointments`;
      const booking = await this.#send('POST', path, { health_care_service_id, practitioner_id, date });
      if (!booking.ok) {
        this.figures.refused++;
        continue;
      }
      this.figures.booked++;
      const id = booking.headers.get('location')?.split('/').at(-1);
      const cancellation = await this.#send('PUT', `${path}/${id}`, { status: 'canceled' });
      if (cancellation.ok) this.figures.canceled++;
    }
  }

  async #send(method: string, path: string, body: object): Promise<Response> {
    const headers = {
      Authorization: `Bearer ${this.#token}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': randomUUID(),
    };
    for (;;) {
      const response = await fetch(`${this.#url}${path}`, { method, headers, body: JSON.stringify(body) }).catch(
        () => undefined,
      );
      await response?.arrayBuffer().catch(() => undefined);
      if (response && response.status < 500 && !response.headers.has('retry-after')) return response;
      this.figures.repeated++;
      await sleep(1_000);
    }
  }
}
