import fc from 'fast-check';
import { bookingSteps } from './booking.ts';
import { clockSteps } from './clock.ts';
import { insuranceSteps } from './insurance.ts';
import { patientSteps } from './patients.ts';
import { readingSteps } from './reading.ts';
import { recordSteps } from './records.ts';

/** Any step of a sequence: the more often, the more can go wrong with it. */
export const anyStep = fc.oneof(
  ...bookingSteps,
  ...patientSteps,
  ...insuranceSteps,
  ...recordSteps,
  ...readingSteps,
  ...clockSteps,
);
