import { describe, expect, test } from '@jest/globals';
import { terms, to } from '../../../hospital-in-fhir/terms.ts';
import { findSlot, toBooking } from '../../../support/fhir-bookings.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

// What never ends is often said by the last second of the year 9999, which is of the year 10000 in UTC.

const { server, id, ports } = await setUpHospital();
const forEver = { start: '0001-01-01T00:00:00+03:00', end: '9999-12-31T23:59:59-03:00' };
const loadAlma = () => {
  server.load({
    resourceType: 'Patient',
    id: 'alma',
    name: [
      { use: 'official', family: 'Casada', given: ['Alma'], period: forEver },
      { use: 'maiden', family: 'Soltera', given: ['Alma'] },
    ],
    gender: 'female',
    birthDate: '1985-11-03',
    identifier: [{ system: terms.dni, value: '61234567', period: forEver }],
    telecom: [{ system: 'phone', use: 'mobile', value: '+54 11 5555 1234', period: forEver }],
    address: [{ use: 'home', line: ['Mitre 1'], period: forEver }],
  });
  server.load({
    resourceType: 'Coverage',
    id: 'alma',
    status: 'active',
    beneficiary: to('Patient/alma'),
    payor: [{ display: 'Aseguradora Ensayo' }],
    subscriberId: '77',
    period: forEver,
  });
  server.load({
    resourceType: 'RelatedPerson',
    id: 'alma',
    patient: to('Patient/alma'),
    identifier: [{ system: 'https://puente.example.org/fhir/sid/related-patient', value: id('Patient/elena') }],
    period: forEver,
  });
};

describe('what ends in the year 9999', () => {
  test('is in force: the name, the telephone, the address, the coverage and the relative are shown', async () => {
    loadAlma();
    expect(await ports.patients.get('alma', callNow())).toMatchObject({
      lastName: 'Casada',
      phone: '+54 11 5555 1234',
      address: { street: 'Mitre 1' },
    });
    expect(await ports.insurance.coverages('alma', callNow())).toMatchObject([{ id: 'alma', active: true }]);
    expect(await ports['family-groups'].list('alma', callNow())).toMatchObject([{ id: 'alma' }]);
  });

  test('pays for a booking, and is the card that cannot be added again', async () => {
    loadAlma();
    const slot = await findSlot(ports, id('HealthcareService/consulta-clinica'));
    await ports.appointments.book('alma', { ...toBooking(slot), coverageId: 'alma' }, callNow());
    expect((await ports.appointments.list('alma', { order: 'ascending' }, callNow())).total).toBe(1);
    const card = { beneficiaryId: 'alma', planId: id('InsurancePlan/osde-210'), credentialNumber: '77' };
    await expect(ports.insurance.create(card, callNow())).rejects.toMatchObject({ code: 'coverage_exists' });
  });

  test('is changed in its place, so that nothing is there twice', async () => {
    loadAlma();
    await ports.patients.update('alma', { lastName: 'Nueva', phone: '+54 11 5555 9999' }, callNow());
    const { name, telecom } = await server.read('Patient', 'alma');
    expect(name?.map(({ use, family }) => [use, family])).toEqual([
      ['official', 'Nueva'],
      ['maiden', 'Soltera'],
    ]);
    expect(telecom).toEqual([expect.objectContaining({ value: '+54 11 5555 9999', period: forEver })]);
  });
});
