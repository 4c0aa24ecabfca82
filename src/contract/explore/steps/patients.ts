import { createPerson } from '../../arrange.ts';
import { expectPromise } from '../broken-promise.ts';
import { Variable } from '../variable.ts';
import { checkEverything, checkPatient, pathOf } from '../views.ts';
import type { Step } from './step.ts';

/** Every letter in the other case. */
const swapCase = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()));

export const patientSteps: readonly Step[] = [
  {
    name: 'look at everything of a patient',
    level: 'safe',
    needs: ['patients.register'],
    weight: 2,
    run: async (world, { who }) => checkEverything(world, await world.getPerson(who)),
  },
  {
    name: 'register somebody again',
    level: 'write',
    needs: ['patients.register', 'patients.get'],
    weight: 1,
    run: async (world, { who }) => {
      const person = await world.getPerson(who);
      const body = { ...createPerson(), identifier: person.dni, phone: '+54 9 11 5555-0123' };
      const { id } = await world.ask<{ id: string }>({ route: 'POST /patients/', body });
      expectPromise(id === person.id.value, 'own', 'a person who is registered gets a second record');
      await checkPatient(world, person);
    },
  },
  {
    name: 'update a patient, two fields at once',
    level: 'write',
    needs: ['patients.register', 'patients.get', 'patients.update'],
    weight: 2,
    run: async (world, { who, which }) => {
      const person = await world.getPerson(who);
      const changes = { phone: `+54 11 4000-${1000 + which}`, email: `contract-${which}@example.org` };
      const responses = await world.session.sendAll(
        Object.entries(changes).map(([field, value]) => ({
          route: 'PUT /patients/{id}',
          params: pathOf(person),
          body: { [field]: value },
        })),
      );
      const isDone = responses.every(({ status }) => status === 200);
      expectPromise(isDone, 'answered', 'updates of different fields at the same moment do not all succeed');
      Object.assign(person, changes);
      await checkPatient(world, person);
    },
  },
  {
    name: 'find a patient by the document',
    level: 'safe',
    needs: ['patients.register', 'patients.search'],
    weight: 1,
    run: async (world, { who }) => {
      const person = await world.getPerson(who);
      const query = { identifier_type: 'DNI', identifier: person.dni };
      const { patients } = await world.ask<{ patients: { id: string }[] }>({ route: 'GET /patients/search', query });
      const isFound = patients.length === 1 && patients[0]?.id === person.id.value;
      expectPromise(isFound, 'own', `${patients.length} patients are found by the document of one`);
    },
  },
  {
    name: 'ask for a patient in other letters',
    level: 'safe',
    needs: ['patients.register', 'patients.get'],
    weight: 1,
    run: async (world, { who }) => {
      const person = await world.getPerson(who);
      const { name, value } = person.id;
      const swapped = swapCase(value);
      if (swapped === value) return;
      const id = new Variable(`${name}_SWAPPED`, swapped, `$(tr 'a-zA-Z' 'A-Za-z' <<<"$${name}")`);
      const { status, body } = await world.session.send({ route: 'GET /patients/{id}', params: { id } });
      // Somebody else may have this id.
      const isSame = status === 200 && (body as { identifier?: unknown }).identifier === person.dni.value;
      expectPromise(!isSame, 'exact', 'a patient is found by the id in the other case of letters');
    },
  },
];
