import { bookingSteps } from './booking.ts';
import { patientSteps } from './patients.ts';
import { recordSteps } from './records.ts';
import type { Step } from './step.ts';

/** All that a sequence may do. */
export const steps: readonly Step[] = [...bookingSteps, ...recordSteps, ...patientSteps];
