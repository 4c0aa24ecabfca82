import { expect, test } from '@jest/globals';
import { makeCall, makeSmallWorld, openHospital } from './small-world.ts';

test('who has a closed record gets no coverage and no other practitioner', async () => {
  const world = makeSmallWorld();
  const [patient] = world.patients;
  const [carrier] = world.carriers;
  const [reason] = world.changeReasons;
  world.patients[0] = { ...patient!, active: false };
  const { insurance, practitioners } = openHospital(world);
  const closed = { kind: 'invalid', message: 'the record of this patient is closed' };
  const card = { beneficiaryId: patient!.id, planId: carrier!.plans![0]!.id, credentialNumber: 'N-9' };
  await expect(insurance.create(card, makeCall())).rejects.toMatchObject({ ...closed, at: 'beneficiaryId' });
  const request = practitioners.requestChange(patient!.id, { reasonId: reason!.id }, makeCall());
  await expect(request).rejects.toMatchObject({ ...closed, at: 'patientId' });
});
