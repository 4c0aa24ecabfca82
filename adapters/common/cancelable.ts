import type { Appointment, Call } from '../../src/ports/index.ts';

/**
 * Whether an appointment can be canceled now: it is active and begins later, not sooner than the institution wants to know.
 * @param begins milliseconds since 1970 (UTC), as `Zone.toEpoch` has them.
 * @param cancelUntilHours how many hours before the start is the last moment.
 */
export function isCancelable(
  { status, begins }: Pick<Appointment, 'status'> & { readonly begins: number },
  cancelUntilHours: number,
  { now }: Pick<Call, 'now'>,
): boolean {
  const left = begins - Date.parse(now);
  return status === 'active' && left > 0 && left >= cancelUntilHours * 3_600_000;
}
