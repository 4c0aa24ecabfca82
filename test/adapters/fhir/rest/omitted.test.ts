import { describe, expect, test } from '@jest/globals';
import { reportOmitted } from '../../../../adapters/fhir/rest/omitted.ts';
import type { Call, OmittedRecord } from '../../../../src/ports/index.ts';

const slot = { type: 'Slot', id: 's1', element: 'start', content: {} };

const createCall = (omitted: OmittedRecord[]): Call => ({
  requestId: 'r1',
  client: 'tests',
  now: '2026-11-22T12:00:00.000Z',
  signal: new AbortController().signal,
  omit: (record) => void omitted.push(record),
});

describe('what a list leaves out', () => {
  test('is told without its id, which a gateway must not log', () => {
    const omitted: OmittedRecord[] = [];
    reportOmitted([slot], createCall(omitted));
    expect(omitted).toEqual([{ resourceType: 'Slot', element: 'start' }]);
  });

  test('is named by its id to a call that asks for it, each record once', () => {
    const [omitted, ids]: [OmittedRecord[], string[]] = [[], []];
    const call: Call = { ...createCall(omitted), identifyOmitted: (_record, id) => void ids.push(id) };
    reportOmitted([slot, { ...slot, id: undefined }], call);
    reportOmitted([slot], call);
    expect({ omitted: omitted.length, ids }).toEqual({ omitted: 2, ids: ['s1'] });
  });
});
