import {
  type Call,
  type Day,
  Failure,
  type Patient,
  type PatientChanges,
  type PatientRegistration,
  type PatientSearch,
  Patients,
} from '../../src/ports/index.ts';
import { omitUndefined } from '../../src/ports/omit-undefined.ts';
import { throwIfAborted } from '../abort.ts';
import { deepFreeze } from '../deep-freeze.ts';
import type { World } from './world.ts';

export class MemoryPatients extends Patients {
  readonly #world: World;

  constructor(world: World) {
    super();
    this.#world = world;
  }

  async search(criteria: PatientSearch, call: Call): Promise<readonly Patient[]> {
    throwIfAborted(call);
    return this.#world.patients.search(criteria);
  }

  async get(id: string, call: Call): Promise<Patient> {
    throwIfAborted(call);
    return this.#world.patients.get(id);
  }

  async register(person: PatientRegistration, call: Call): Promise<Patient> {
    throwIfAborted(call);
    const { patients } = this.#world;
    this.#checkBirthDate(person.birthDate, call);
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
  }

  async update(id: string, changes: PatientChanges, call: Call): Promise<void> {
    throwIfAborted(call);
    const { patients } = this.#world;
    const patient = patients.get(id);
    if (changes.birthDate !== undefined) this.#checkBirthDate(changes.birthDate, call);
    const holder = changes.identifier && patients.findHolder(changes.identifier);
    if (holder && holder.id !== id) {
      throw new Failure('conflict', 'another patient holds this identifier', { code: 'identity_conflict' });
    }
    patients.replace(deepFreeze<Patient>({ ...patient, ...omitUndefined(changes) }));
  }

  #checkBirthDate(birthDate: Day, { now }: Call): void {
    if (birthDate > this.#world.today(now)) {
      throw new Failure('invalid', 'a birth date cannot lie in the future', { at: 'birthDate' });
    }
  }
}

const emptyPatient = { name: '', lastName: '', phone: '', email: '', active: true, address: {} };
