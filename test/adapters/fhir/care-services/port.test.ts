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
