import type { Case } from '../../../../src/contract/index.ts';
import { appointmentCases } from './appointments.ts';
import { careServiceCases } from './care-services.ts';
import { insuranceCases } from './insurance.ts';
import { slotCases } from './slots.ts';

/** What Group B promises beyond what an adapter is judged by: the gateway alone decides it, or Group A asks the same of a port. */
export const groupBCases: readonly Case[] = [...slotCases, ...appointmentCases, ...careServiceCases, ...insuranceCases];
