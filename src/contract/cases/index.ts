import { registerPatient } from '../arrange.ts';
import { type Case, defineCase } from '../case.ts';
import { expectProblem, getBody } from '../expect.ts';
import { appointmentCases, appointmentCasesB, cancellingCases } from './appointments.ts';
import { bookingCases, bookingCasesB } from './booking.ts';
import { careServiceCases, frequentServiceCases } from './care-services.ts';
import { closedCases } from './closed.ts';
import { documentConformanceCases, gatewayCases, readCases, recordCases } from './document-conformance.ts';
import { familyGroupCases } from './family-groups.ts';
import { filterCases } from './filters.ts';
import { parallelWriteCases } from './idempotency.ts';
import { insuranceCases, insuranceChangeCases } from './insurance.ts';
import { lineCases } from './line.ts';
import { ownRecordCases } from './own-records.ts';
import { patientRecordCases, patientSearchCases } from './patients.ts';
import { portCases } from './ports.ts';
import { directoryCases, practitionerCases } from './practitioners.ts';
import { failingCases, lostRequestCases } from './reliability.ts';
import { availabilityCases, slotCases, slotCasesB } from './slots.ts';
import { ticketCases } from './tickets.ts';
import { unseenCases } from './unseen.ts';
import { writtenTextCases } from './written-texts.ts';

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
  ...writtenTextCases,
  ...ticketCases,
  ...appointmentCases,
  ...bookingCases,
  ...availabilityCases,
  ...cancellingCases,
  ...appointmentCasesB,
  ...bookingCasesB,
  ...slotCases,
  ...slotCasesB,
  ...filterCases,
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

/** If each start creates a new institution, these cases must pass before other results count. */
export const startCases: readonly Case[] = [
  defineCase({ level: 'write', needs: 'patients.get', requires: ['patients.register'] }, 'start.independent', {
    title: 'two starts are independent: a change in one does not show in the other',
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

/** Cases that change records of the fixtures, so that each start has to create a new institution. */
export const fixtureChangeCases: readonly Case[] = [...insuranceChangeCases];

/** The properties of a subject that decide which cases can run. */
export interface Reach {
  /** True if each start creates a new institution. */
  readonly isFresh: boolean;
  /** True if the cases call an adapter without the gateway. Cases of the gateway are then left out. */
  readonly inProcess: boolean;
  /** True if the system behind the subject can be made to fail. */
  readonly canFail: boolean;
}

/** Lists the cases that can run on such a subject, in their order. */
export function listCases({ isFresh, inProcess, canFail }: Reach): readonly Case[] {
  const ofFailure = inProcess ? outageCases : lostRequestCases;
  return [
    ...(isFresh ? startCases : []),
    ...cases,
    ...(isFresh ? fixtureChangeCases : []),
    ...portCases,
    ...(inProcess ? [] : gatewayCases),
    ...(canFail ? ofFailure : []),
  ];
}
