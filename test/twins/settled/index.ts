import type { Scenario } from '../known/known.ts';
import { ofAppointments } from './appointments.ts';
import { ofPatients } from './patients.ts';
import { ofRecords } from './records.ts';
import { ofServices } from './services.ts';
import { ofTickets } from './tickets.ts';

/** What random sequences once found the two adapters to disagree on. */
export const settled: readonly Scenario[] = [
  ...ofAppointments,
  ...ofPatients,
  ...ofRecords,
  ...ofServices,
  ...ofTickets,
];
