import { describe, expect, test } from '@jest/globals';
import { getOriginal, noteDropped, reportOmitted } from '../../../../adapters/fhir/rest/omitted.ts';
import type { Resource } from '../../../../adapters/fhir/schema/resources.ts';
import { Omissions } from '../../../../src/toolkit/omissions.ts';

const slot = { type: 'Slot', id: 's1', element: 'start', content: {} };

describe('what a list leaves out', () => {
  test('is told once for each resource, with an id or without one', () => {
    const omissions = new Omissions();
    reportOmitted([slot, { ...slot, id: undefined }], { omit: omissions.add });
    reportOmitted([slot, { ...slot, id: undefined }], { omit: omissions.add });
    const record = { resourceType: 'Slot', element: 'start' };
    expect(omissions.list).toEqual([
      { record, id: 's1' },
      { record, id: undefined },
    ]);
  });
});

test('a copy of a resource still has what the server sent, and what was left out of it', () => {
  const resource: Resource<'Location'> = { resourceType: 'Location', id: 'l1', name: 'Central' };
  expect(getOriginal(resource)).toEqual({ whole: resource, dropped: [] });
  const whole = { resourceType: 'Location', id: 'l1', name: 'Central', telecom: 'none' };
  noteDropped(resource, { whole, dropped: ['telecom'] });
  expect(getOriginal({ ...resource, name: 'Norte' })).toEqual({ whole, dropped: ['telecom'] });
});
