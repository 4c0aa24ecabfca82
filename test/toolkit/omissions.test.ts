import { describe, expect, test } from '@jest/globals';
import { Omissions } from '../../src/toolkit/omissions.ts';

const start = { resourceType: 'Slot', element: 'start' };

describe('what a call is answered without', () => {
  test('is told once for each id of a type', () => {
    const omissions = new Omissions();
    omissions.add(start, 's1');
    omissions.add({ resourceType: 'Slot', element: 'end' }, 's1');
    omissions.add({ resourceType: 'Schedule', element: 'actor' }, 's1');
    omissions.add(start, 's2');
    expect(omissions.list.map(({ record, id }) => `${record.resourceType}/${id}/${record.element}`)).toEqual([
      'Slot/s1/start',
      'Schedule/s1/actor',
      'Slot/s2/start',
    ]);
  });

  test('is told once for an object that stands for a record, and each time where nothing does', () => {
    const omissions = new Omissions();
    const content = {};
    for (const id of [content, content, {}, undefined, undefined]) omissions.add(start, id);
    expect(omissions.list).toEqual(Array(4).fill({ record: start, id: undefined }));
  });

  test('has no id in what a gateway logs', () => {
    const omissions = new Omissions();
    omissions.add(start, 's1');
    expect(omissions.list.map(({ record }) => record)).toEqual([{ resourceType: 'Slot', element: 'start' }]);
  });
});
