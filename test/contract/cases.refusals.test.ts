import { expect, test } from '@jest/globals';
import { replace } from '../support/faults/port-fault.ts';
import { type Change, refuse, tryCase } from '../support/legal-case.ts';

const withShortDocuments: Change = ({ patients }) => {
  const register: typeof patients.register = async (person, call) =>
    /^[A-Z0-9]{5,12}$/.test(person.identifier.value) ? patients.register(person, call) : refuse('identifier');
  return { patients: replace(patients, { register }) };
};

/** The system refuses some marks, and takes the others. */
const withFewMarks: Change = ({ patients }) => {
  const register: typeof patients.register = async (person, call) =>
    /[&%\\]/.test(person.identifier.value) ? refuse('identifier') : patients.register(person, call);
  return { patients: replace(patients, { register }) };
};

/** A coverage that has lapsed stays so: the patient gets a new credential. */
const withLapsedCredentials: Change = ({ insurance }) => {
  const create: typeof insurance.create = async (coverage, call) => {
    const known = await insurance.coverages(coverage.beneficiaryId, call);
    const isKnown = known.some(({ credentialNumber }) => credentialNumber === coverage.credentialNumber);
    return isKnown ? refuse('credentialNumber') : insurance.create(coverage, call);
  };
  return { insurance: replace(insurance, { create }) };
};

const withoutVersions: Change = ({ patients }) => {
  const get: typeof patients.get = async (...given) => {
    const { version: _, ...patient } = await patients.get(...given);
    return patient;
  };
  return { patients: replace(patients, { get }) };
};

test.each<[string, string, Change, string]>([
  ['documents may be short and have no marks', 'ports.patients.register.documents', withShortDocuments, 'pass'],
  ['documents may have some marks alone', 'ports.patients.register.documents', withFewMarks, 'pass'],
  ['a lapsed coverage may stay lapsed', 'insurance.create.lapsed', withLapsedCredentials, 'skip'],
  ['patients may have no versions', 'ports.patients.update.version', withoutVersions, 'skip'],
])('%s', async (_what, id, change, outcome) => {
  expect(await tryCase(id, change)).toEqual([outcome]);
});
