import { expect, test } from '@jest/globals';
import { documentConformanceCases } from '../../../src/contract/cases/document-conformance.ts';
import { createPortsSubject, runCases, sandbox } from '../../../src/contract/index.ts';
import type { Modality, Offer } from '../../../src/ports/index.ts';
import { openSandbox } from '../../support/sandbox.ts';

/** The sandbox hospital, where every visit has this modality. */
function openWith(modality: Modality): Offer {
  const { appointments, ...others } = openSandbox();
  const list: typeof appointments.list = async (...given) => {
    const { items, total } = await appointments.list(...given);
    return { items: items.map((each) => ({ ...each, modality })), total };
  };
  return { ...others, appointments: { list } };
}

test.each(['virtual', 'in-person'] as const)('an appointment of Group B may be %s', async (modality) => {
  const subject = createPortsSubject({ ports: openWith(modality), fixtures: sandbox });
  const answers = documentConformanceCases.filter(({ id }) => id === 'document.GET /v1/appointments.answers');
  expect(await runCases(answers, async () => subject)).toMatchObject([{ outcome: 'pass' }]);
});
