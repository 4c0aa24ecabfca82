import { expect, test } from '@jest/globals';
import { documentConformanceCases } from '../../../src/contract/cases/document-conformance.ts';
import { createPortsSubject, runCases, sandbox } from '../../../src/contract/index.ts';
import type { Offer } from '../../../src/ports/index.ts';
import { openSandbox } from '../../support/sandbox.ts';

/** The sandbox hospital, where everybody pays at the desk: a payment has a status and no link. */
function openWithoutLinks(): Offer {
  const { appointments, ...others } = openSandbox();
  return {
    ...others,
    appointments: {
      list: async (patientId, query, call) => {
        const { items, total } = await appointments.list(patientId, query, call);
        return { items: items.map((each) => ({ ...each, payment: { status: 'paid' } })), total };
      },
    },
  };
}

test('a payment may have no link, as the port says', async () => {
  const subject = createPortsSubject({ ports: openWithoutLinks(), fixtures: sandbox });
  const answers = documentConformanceCases.filter(
    ({ id }) => id === 'document.GET /patients/{id}/appointments.answers',
  );
  expect(await runCases(answers, async () => subject)).toMatchObject([{ outcome: 'pass' }]);
});

/** The sandbox hospital, whose patients are all inactive. */
function openWithInactivePatients(): Offer {
  const { patients, ...others } = openSandbox();
  const search: typeof patients.search = async (...given) =>
    (await patients.search(...given)).map((patient) => ({ ...patient, active: false }));
  return { ...others, patients: { search } };
}

test('a patient whom a search shows may be inactive', async () => {
  const subject = createPortsSubject({ ports: openWithInactivePatients(), fixtures: sandbox });
  const answers = documentConformanceCases.filter(({ id }) => id === 'document.GET /patients/search.answers');
  expect(await runCases(answers, async () => subject)).toMatchObject([{ outcome: 'pass' }]);
});
