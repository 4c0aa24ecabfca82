import { registerPatient } from '../arrange.ts';
import { type Case, defineCase } from '../case.ts';
import { expectProblem, getBody } from '../expect.ts';
import { appointmentCases, appointmentCasesB, cancellingCases } from './appointments.ts';
import { bookingCases, bookingCasesB } from './booking.ts';
import { careServiceCases, frequentServiceCases } from './care-services.ts';
import { closedCases } from './closed.ts';
import { documentConformanceCases, gatewayCases, readCases, recordCases } from './document-conformance.ts';
import { familyGroupCases } from './family-groups.ts';
import { parallelWriteCases } from './idempotency.ts';
import { insuranceCases } from './insurance.ts';
import { lineCases } from './line.ts';
import { ownRecordCases } from './own-records.ts';
import { patientRecordCases, patientSearchCases } from './patients.ts';
import { portCases } from './ports.ts';
import { directoryCases, practitionerCases } from './practitioners.ts';
import { failingCases, lostRequestCases } from './reliability.ts';
import { availabilityCases, slotCases, slotCasesB } from './slots.ts';
import { ticketCases } from './tickets.ts';
import { unseenCases } from './unseen.ts';

export { gatewayCases, readCases } from './document-conformance.ts';
export { portCases } from './ports.ts';
export { lostRequestCases } from './reliability.ts';

/** Every promise that requests alone can prove, over HTTP or in process. */
export const cases: readonly Case[] = [
  ...documentConformanceCases,
  ...readCases,
  ...recordCases,
  ...patientSearchCases,
  ...patientRecordCases,
  ...ticketCases,
  ...appointmentCases,
  ...bookingCases,
  ...availabilityCases,
  ...cancellingCases,
  ...appointmentCasesB,
  ...bookingCasesB,
  ...slotCases,
  ...slotCasesB,
  ...unseenCases,
  ...insuranceCases,
  ...practitionerCases,
  ...careServiceCases,
  ...frequentServiceCases,
  ...familyGroupCases,
  ...directoryCases,
  ...parallelWriteCases,
  ...ownRecordCases,
  ...closedCases,
];

/** The promises of an adapter while its system works and while it fails. */
export const outageCases: readonly Case[] = [...failingCases, ...lineCases];

/** Where every start makes a new institution, other results mean something only when these pass. */
export const startCases: readonly Case[] = [
  defineCase({ level: 'write', needs: 'patients.get', requires: ['patients.register'] }, 'start.independent', {
    title: 'two starts are independent: what is done to one does not show in the other',
    run: async (subject, start) => {
      const other = await start();
      const id = await registerPatient(subject);
      await getBody(subject, { route: 'GET /patients/{id}', params: { id } });
      for (const fresh of [other, await start()]) {
        await expectProblem(fresh, { route: 'GET /patients/{id}', params: { id } }, 404, 'not_found');
      }
    },
  }),
];

/** The cases that a subject can be asked. */
export interface Reach {
  /** True if each start makes a new institution. */
  readonly isFresh: boolean;
  /** True if an adapter is called, without the gateway, whose own decisions are not judged then. */
  readonly inProcess: boolean;
  /** True if the system behind it can be made to fail. */
  readonly canFail: boolean;
}

/** The cases that such a subject is asked, in the order in which they run. */
export function listCases({ isFresh, inProcess, canFail }: Reach): readonly Case[] {
  const ofFailure = inProcess ? outageCases : lostRequestCases;
  return [
    ...(isFresh ? startCases : []),
    ...cases,
    ...portCases,
    ...(inProcess ? [] : gatewayCases),
    ...(canFail ? ofFailure : []),
  ];
}
