import { describe, expect, test } from '@jest/globals';
import { parseResource, toWritten } from '../../../../adapters/fhir/rest/resource.ts';

describe('a resource of which an element was left out', () => {
  const sent = { resourceType: 'Patient', id: 'p', telecom: [{ value: 5 }, { value: '6' }], name: [{ text: 'Ana' }] };
  const read = () => parseResource('Patient', sent);

  test('is read without it, and written with it', () => {
    expect(JSON.parse(JSON.stringify(read()))).toEqual({ ...sent, telecom: [{ value: '6' }] });
    expect(toWritten(read(), { name: [] })).toEqual({ ...sent, name: [] });
  });

  test('is not written where it would be lost', () => {
    const write = () => toWritten(read(), { telecom: [] });
    expect(write).toThrow(expect.objectContaining({ kind: 'bad_answer', at: 'Patient/telecom/value' }));
  });
});

test.each([{ valueString: 5 }, { valueBoolean: 'yes' }, { valueQuantity: { value: 'many' } }])(
  'an answer of a form with the value %j is refused',
  (answer) => {
    const item = [{ linkId: 'dose', answer: [answer] }];
    const sent = {
      resourceType: 'QuestionnaireResponse',
      id: 'q',
      meta: { versionId: '1' },
      status: 'completed',
      item,
    };
    expect(() => parseResource('QuestionnaireResponse', sent)).toThrow(
      expect.objectContaining({
        kind: 'bad_answer',
        at: expect.stringContaining(`item/0/answer/0/${Object.keys(answer)[0]}`),
      }),
    );
  },
);

test('a part of a resource is not written in the place of the whole', () => {
  const meta = { tag: [{ code: 'SUBSETTED' }] };
  const write = () => toWritten(parseResource('Patient', { resourceType: 'Patient', id: 'p', meta }), {});
  expect(write).toThrow(expect.objectContaining({ kind: 'bad_answer', cause: { code: 'only_a_part' } }));
});

test('a narrative that was generated before a change is not written after it', () => {
  const read = (status: string) => parseResource('Patient', { resourceType: 'Patient', id: 'p', text: { status } });
  expect(toWritten(read('generated'), {})).toEqual({ resourceType: 'Patient', id: 'p' });
  expect(toWritten(read('additional'), {})).toMatchObject({ text: { status: 'additional' } });
});
