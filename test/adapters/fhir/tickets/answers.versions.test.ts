import { describe, expect, test } from '@jest/globals';
import { concept, NS, ownCodes, to } from '../../../hospital-in-fhir/terms.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

const { server, ports } = await setUpHospital();

const url = `${NS}/Questionnaire/certificado`;
const system = 'http://terminology.hl7.org/CodeSystem/usage-context-type';

const loadType = (id: string, version: string, status: 'active' | 'retired') =>
  server.load({
    resourceType: 'Questionnaire',
    id,
    url,
    version,
    status,
    title: 'Certificado',
    useContext: [
      {
        code: { system, code: 'workflow' },
        valueCodeableConcept: concept(ownCodes('questionnaire-kind'), 'ticket-type'),
      },
    ],
    item: [{ linkId: 'motivo', type: 'string', text: `Motivo, en la versión ${version}` }],
  });

describe('a ticket of a form with several versions', () => {
  test('has the type and the tooltips of its own version', async () => {
    server.load({ resourceType: 'Patient', id: 'alma', gender: 'female', birthDate: '1990-02-01' });
    loadType('a', '1', 'retired');
    loadType('b', '2', 'active');
    loadType('c', '3', 'retired');
    const filed = { observations: '', fields: [{ id: 'motivo', value: 'viaje' }] };
    const ticket = await ports.tickets.open('alma', 'b', filed, callNow());
    expect(ticket).toMatchObject({ ticketTypeId: 'b', fields: [{ tooltip: 'Motivo, en la versión 2' }] });
    expect(await ports.tickets.list('alma', { ticketTypeId: 'b' }, callNow())).toEqual([ticket]);
    expect(await ports.tickets.list('alma', { ticketTypeId: 'a' }, callNow())).toEqual([]);
  });

  test('is of the active version if it names none', async () => {
    server.load({ resourceType: 'Patient', id: 'alma', gender: 'female', birthDate: '1990-02-01' });
    loadType('a', '1', 'retired');
    loadType('b', '2', 'active');
    loadType('c', '3', 'retired');
    server.load({ resourceType: 'QuestionnaireResponse', id: 'r', status: 'completed', questionnaire: url });
    server.load({
      resourceType: 'Task',
      id: 't',
      status: 'requested',
      intent: 'order',
      code: concept(ownCodes('task-kind'), 'ticket'),
      for: to('Patient/alma'),
      focus: to('QuestionnaireResponse/r'),
    });
    expect(await ports.tickets.list('alma', {}, callNow())).toMatchObject([{ id: 't', ticketTypeId: 'b' }]);
  });
});
