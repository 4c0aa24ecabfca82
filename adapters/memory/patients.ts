import { Failure, type Patient, type Patients } from '../../src/ports/index.ts';
import { omitUndefined } from '../../src/ports/omit-undefined.ts';
import { deepFreeze } from '../../src/toolkit/deep-freeze.ts';
import { checkBirthDate } from '../common/promised-failures.ts';
import type { World } from './world.ts';

export function createPatients(world: World): Patients {
  return {
    search: async (criteria) => world.patients.search(criteria),

    get: async (id) => world.patients.get(id),

    async register(person, call) {
      const { patients } = world;
      checkBirthDate(person.birthDate, world.today(call.now));
      const known = patients.findHolder(person.identifier);
      if (known) {
        if (known.birthDate === person.birthDate && known.gender === person.gender) return known;
        throw new Failure('conflict', 'the identifier belongs to somebody with another birth date or gender', {
          code: 'identity_conflict',
        });
      }
      const patient = deepFreeze<Patient>({
        ...emptyPatient,
        ...omitUndefined(person),
        id: crypto.randomUUID(),
        medicalRecordId: person.medicalRecordId || patients.createRecordId(),
      });
      patients.add(patient);
      return patient;
    },

    async update(id, changes, call) {
      const { patients } = world;
      const patient = patients.get(id);
      checkBirthDate(changes.birthDate, world.today(call.now));
      const holder = changes.identifier && patients.findHolder(changes.identifier);
      if (holder && holder.id !== id) {
        throw new Failure('conflict', 'another patient holds this identifier', { code: 'identity_conflict' });
      }
      patients.replace(deepFreeze<Patient>({ ...patient, ...omitUndefined(changes) }));
    },
  };
}

const emptyPatient = { name: '', lastName: '', phone: '', email: '', active: true, address: {} };
