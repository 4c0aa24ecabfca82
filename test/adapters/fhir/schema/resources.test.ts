import { describe, expect, test } from '@jest/globals';
import { parseResource } from '../../../../adapters/fhir/rest/resource.ts';
import type { Changes, NewResource, ResourceType } from '../../../../adapters/fhir/schema/resources.ts';

// What must not compile stands here below a `@ts-expect-error`: `npm run types` fails when it does compile.

const draft = <T extends ResourceType>(resource: NewResource<T>): NewResource<T> => resource;
const changes = <T extends ResourceType>(_type: T, elements: Changes<T>): Changes<T> => elements;

const patient = parseResource('Patient', {
  resourceType: 'Patient',
  id: 'p',
  meta: { versionId: '1' },
  identifier: [{ use: 'of no value set', value: '1' }],
  name: [{ use: 'of no value set', text: 'Ana' }],
  maritalStatus: { text: 'unknown to the schema' },
});

describe('the type of what is written', () => {
  test('lets every element have its type in FHIR, and no other', () => {
    const participant = [{ actor: { reference: 'Patient/p' }, status: 'accepted' as const }];
    draft({ resourceType: 'Appointment', status: 'booked', participant, minutesDuration: 20 });
    // @ts-expect-error a number is asked for
    draft({ resourceType: 'Appointment', status: 'booked', participant, minutesDuration: 'twenty' });
    // @ts-expect-error no code of the value set
    draft({ resourceType: 'Appointment', status: 'taken', participant });
    // @ts-expect-error no element of the resource
    draft({ resourceType: 'Appointment', status: 'booked', participant, duration: 20 });
    // @ts-expect-error an element that the resource must have
    draft({ resourceType: 'Appointment', participant });
    // @ts-expect-error no code of the value set, in a list
    draft({ resourceType: 'Appointment', status: 'booked', participant: [{ status: 'taken' }] });
  });

  test('has no id and no version, which the server gives', () => {
    // @ts-expect-error the server gives it
    draft({ resourceType: 'Basic', code: {}, id: 'x' });
    // @ts-expect-error the server gives it
    draft({ resourceType: 'Basic', code: {}, meta: { versionId: '1' } });
  });

  test('lets a change take away only what a resource need not have', () => {
    changes('Slot', { status: 'busy', comment: undefined });
    // @ts-expect-error every slot has a status
    changes('Slot', { status: undefined });
    // @ts-expect-error no code of the value set
    changes('Slot', { status: 'occupied' });
  });

  test('lets a list keep entries as they were read, and nothing else that FHIR does not know', () => {
    const { identifier = [], name = [] } = patient;
    changes('Patient', { identifier: [...identifier, { use: 'official', value: '2' }] });
    draft({ resourceType: 'RelatedPerson', patient: { reference: 'Patient/p' }, name });
    // @ts-expect-error no element of an identifier
    changes('Patient', { identifier: [...identifier, { use: 'official', number: '2' }] });
  });
});

describe('a resource that was read', () => {
  test('keeps what its schema does not know', () => {
    expect(patient).toMatchObject({ maritalStatus: { text: 'unknown to the schema' } });
  });

  test('shows in its type only what was checked', () => {
    // @ts-expect-error was not checked
    expect(patient.maritalStatus).toBeDefined();
  });

  test.each([
    'draft',
    'requested',
    'received',
    'accepted',
    'rejected',
    'ready',
    'cancelled',
    'in-progress',
    'on-hold',
    'failed',
    'completed',
    'entered-in-error',
  ])('may be a Task that is %s', (status) => {
    expect(parseResource('Task', { resourceType: 'Task', id: 't', status, intent: 'order' })).toMatchObject({ status });
  });

  test('is refused when an element that this adapter uses does not conform to FHIR', () => {
    const read = () => parseResource('Patient', { resourceType: 'Patient', id: 'p', birthDate: 'yesterday' });
    expect(read).toThrow(expect.objectContaining({ kind: 'bad_answer', at: 'Patient/birthDate' }));
  });
});
