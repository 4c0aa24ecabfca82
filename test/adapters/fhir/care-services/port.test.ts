import { describe, expect, test } from '@jest/globals';
import { connect } from '../../../support/fhir-adapter.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

const { server, id } = await setUpHospital();

describe('a list by name', () => {
  test.each([
    ['es-AR', ['Neurología', 'ñandú', 'Ögon', 'Zoner']],
    ['sv', ['ñandú', 'Neurología', 'Zoner', 'Ögon']],
  ])('is in the order of the institution’s language, %s', async (locale, names) => {
    const services = ['consulta-clinica', 'consulta-cardiologia', 'laboratorio', 'consulta-pediatria'];
    const carriers = ['osde', 'swiss', 'pami'];
    for (const [index, name] of names.toReversed().entries()) {
      const service = await server.read('HealthcareService', id(`HealthcareService/${services[index]}`));
      await server.update({ ...service, name });
      if (carriers[index] === undefined) continue;
      const carrier = await server.read('Organization', id(`Organization/${carriers[index]}`));
      await server.update({ ...carrier, name });
    }
    const institution = { timeZone: 'America/Argentina/Buenos_Aires', locale, bookingHorizonDays: 60 };
    const { ports } = await connect(server, {}, institution);
    const known = new Set(names);
    const list = (rows: readonly { readonly name: string }[]) =>
      rows.map(({ name }) => name).filter((name) => known.has(name));
    expect(list(await ports['care-services'].available({}, callNow()))).toEqual(names);
    expect(list(await ports.insurance.carriers({}, callNow()))).toEqual(names.slice(1));
  });
});

test('a service that names no practitioner is given by the only one who works in it today', async () => {
  const serviceId = id('HealthcareService/consulta-clinica');
  const { extension: _, ...unnamed } = await server.read('HealthcareService', serviceId);
  await server.update(unnamed);
  const findPractitioner = async () => {
    const { ports } = await connect(server);
    const services = await ports['care-services'].available({}, callNow());
    return services.find((each) => each.id === serviceId)?.practitionerId;
  };
  expect(await findPractitioner()).toBe(id('Practitioner/paz'));
  const role = await server.read('PractitionerRole', id('PractitionerRole/ruiz'));
  const healthcareService = [{ reference: `HealthcareService/${serviceId}` }];
  await server.update({ ...role, healthcareService, active: false });
  expect(await findPractitioner()).toBe(id('Practitioner/paz'));
  await server.update({ ...role, healthcareService, active: true, period: { end: '2020-05-01' } });
  expect(await findPractitioner()).toBe(id('Practitioner/paz'));
  await server.update({ ...role, healthcareService, active: true });
  expect(await findPractitioner()).toBe('');
});

test('the services that a patient books most count what is pending, and not what the patient has declined', async () => {
  const { ports } = await connect(server);
  const who = { patientId: id('Patient/bruno'), coverageId: id('Coverage/bruno-osde') };
  const patient = { reference: `Patient/${who.patientId}` };
  const make = (name: string, service: string, status: string, answer: string) => ({
    resourceType: 'Appointment' as const,
    id: name,
    status,
    start: new Date(Date.now() - 86_400_000).toISOString(),
    participant: [
      { actor: patient, status: answer },
      { actor: { reference: `HealthcareService/${id(`HealthcareService/${service}`)}` }, status: 'accepted' },
    ],
  });
  server.load(make('pending', 'laboratorio', 'pending', 'accepted'));
  server.load(make('declined', 'consulta-clinica', 'booked', 'declined'));
  const frequent = await ports['care-services'].frequent(who, callNow());
  expect(frequent.map((each) => each.id)).toEqual([id('HealthcareService/laboratorio')]);
});
