import { ageFaults } from './ages.ts';
import { agreementFaults } from './agreements.ts';
import { answerFaults } from './answers.ts';
import { bookingFaults } from './bookings.ts';
import { dayFaults } from './days.ts';
import { deadlineFaults } from './deadlines.ts';
import { documentFaults } from './documents.ts';
import { fieldFaults } from './fields.ts';
import type { HttpFault } from './http-fault.ts';
import { idempotencyFaults } from './idempotency.ts';
import { type LegacyFault, lineFaults } from './legacy.ts';
import { listFaults } from './lists.ts';
import { outageFaults } from './outages.ts';
import { parameterFaults } from './parameters.ts';
import type { PortFault } from './port-fault.ts';
import { privacyFaults } from './privacy.ts';
import { raceFaults } from './races.ts';
import { recordFaults } from './records.ts';
import { relativeFaults } from './relatives.ts';
import { truthFaults } from './truth.ts';
import { unseenFaults } from './unseen.ts';

export { breakSubject } from './http-fault.ts';

/** What the author of an adapter may get wrong without noticing it for long. */
export const portFaults: readonly PortFault[] = [
  ...dayFaults,
  ...deadlineFaults,
  ...ageFaults,
  ...privacyFaults,
  ...bookingFaults,
  ...idempotencyFaults,
  ...listFaults,
  ...recordFaults,
  ...documentFaults,
  ...relativeFaults,
  ...unseenFaults,
  ...raceFaults,
  ...outageFaults,
  ...agreementFaults,
];

/** What the author of the adapter over the legacy system may get wrong. */
export const legacyFaults: readonly LegacyFault[] = [
  ...lineFaults,
  ...truthFaults.map(({ plant, ...fault }) => ({ ...fault, parts: { plant } })),
];

/** What a server of the API may get wrong in its answers. */
export const httpFaults: readonly HttpFault[] = [...answerFaults, ...fieldFaults, ...parameterFaults];
