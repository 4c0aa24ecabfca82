import { beforeEach, describe, expect, test } from '@jest/globals';
import { concept, ownCodes, terms, to } from '../../../hospital-in-fhir/terms.ts';
import { connect } from '../../../support/fhir-adapter.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

const { server, id, ...hospital } = await setUpHospital();
let { ports } = hospital;
beforeEach(() => {
  ({ ports } = hospital);
});

const accepted = (reference: string) => ({ actor: { reference }, status: 'accepted' as const });
const declined = (reference: string) => ({ actor: { reference }, status: 'declined' as const });

async function list(stored: object) {
  server.load({ resourceType: 'Patient', id: 'alma', gender: 'female', birthDate: '1990-02-01' });
  server.load({ resourceType: 'Coverage', id: 'c', status: 'active', beneficiary: to('Patient/alma'), payor: [] });
  for (const name of ['planta-baja', 'primer-piso']) server.load({ resourceType: 'Location', id: name, name });
  for (const name of ['eco', 'rayos']) {
    server.load({ resourceType: 'HealthcareService', id: name, name, location: [to('Location/planta-baja')] });
  }
  server.load({
    resourceType: 'Appointment',
    id: 'a',
    status: 'booked',
    start: '2027-02-01T12:00:00Z',
    participant: [accepted('Patient/alma')],
    ...stored,
  });
  const { items } = await ports.appointments.list('alma', { order: 'ascending' }, callNow());
  return items[0];
}

describe('a place or a service that has declined an appointment', () => {
  test('is not shown, and its replacement is', async () => {
    const participant = [
      accepted('Patient/alma'),
      declined('Location/planta-baja'),
      accepted('Location/primer-piso'),
      declined('HealthcareService/eco'),
      accepted('HealthcareService/rayos'),
    ];
    expect(await list({ participant })).toMatchObject({
      location: { id: 'primer-piso', name: 'primer-piso' },
      services: [{ id: 'rayos', name: 'rayos' }],
    });
  });

  test('is not shown as the place of the service either', async () => {
    const participant = [accepted('Patient/alma'), declined('Location/planta-baja'), accepted('HealthcareService/eco')];
    expect(await list({ participant })).toMatchObject({ location: { id: '', name: '' }, services: [{ id: 'eco' }] });
  });
});

describe('an appointment whose service is only its type', () => {
  const clinic = () => id('HealthcareService/consulta-clinica');
  const byReference = () => ({
    extension: [{ url: terms.serviceTypeReference, valueReference: { reference: `HealthcareService/${clinic()}` } }],
  });
  async function byCode() {
    const { type = [] } = await server.read('HealthcareService', clinic());
    const code = type.flatMap(({ coding = [] }) => coding).find(({ system }) => system === ownCodes('hcs'))?.code;
    return concept(ownCodes('hcs'), code ?? '');
  }

  test.each([
    ['a reference', byReference],
    ['a code', byCode],
  ])('has the id and the name of the service that %s names, and counts for it', async (_, make) => {
    const { name } = await server.read('HealthcareService', clinic());
    const start = new Date(Date.now() - 5 * 86_400_000).toISOString();
    const shown = await list({ status: 'fulfilled', start, serviceType: [await make()] });
    expect(shown?.services).toEqual([{ id: clinic(), name }]);
    const frequent = await ports['care-services'].frequent({ patientId: 'alma', coverageId: 'c' }, callNow());
    expect(frequent.map((each) => each.id)).toEqual([clinic()]);
  });

  test.each([
    ['a reference', byReference],
    ['a code', byCode],
  ])('is virtual if the service that %s names is, unless the appointment says otherwise', async (_, make) => {
    const serviceType = [await make()];
    expect((await list({ serviceType }))?.modality).toBe('in-person');
    const virtual = { characteristic: [concept(terms.actCode, 'VR')] };
    await server.update({ ...(await server.read('HealthcareService', clinic())), ...virtual });
    ports = (await connect(server)).ports;
    expect((await list({ serviceType }))?.modality).toBe('virtual');
    const serviceCategory = [concept(terms.actCode, 'AMB')];
    expect((await list({ serviceType, serviceCategory }))?.modality).toBe('in-person');
  });

  test('has the name that the type itself has', async () => {
    const shown = await list({ serviceType: [{ ...byReference(), text: 'Control anual' }] });
    expect(shown?.services).toEqual([{ id: clinic(), name: 'Control anual' }]);
  });
});
