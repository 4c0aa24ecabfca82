import { afterAll, describe, expect, test } from '@jest/globals';
import { type ProblemCode, problems } from '../../src/api/index.ts';
import { Failure, type FailureKind } from '../../src/ports/index.ts';
import { startGateway } from '../support/gateway.ts';

let failure: Failure;
const gateway = await startGateway({
  replacePort: () => ({
    update: async () => {
      throw failure;
    },
  }),
});
afterAll(() => gateway.stop());

/** The problem that the caller sees of a failure of the adapter. */
async function update(kind: FailureKind, message: string): Promise<{ readonly code: ProblemCode; detail: string }> {
  failure = new Failure(kind, message);
  const { status, text } = await gateway.ask('PUT', '/patients/ana', { phone: '+54 11 5555-0000' });
  const { code, detail } = JSON.parse(text) as { code: ProblemCode; detail: string };
  expect(status).toBe(problems[code].status);
  return { code, detail };
}

describe('the detail of a problem', () => {
  test.each<[FailureKind, ProblemCode]>([
    ['invalid', 'validation'],
    ['not_found', 'not_found'],
    ['conflict', 'conflict'],
    ['unsupported', 'not_implemented'],
  ])('begins with the sentence of the adapter when it is %s, and ends with what to do', async (kind, code) => {
    const detail = `The desk is closed on Sundays. ${problems[code].advice}`;
    expect(await update(kind, 'the desk is closed on Sundays')).toEqual({ code, detail });
    expect(await update(kind, 'The desk is closed on Sundays.')).toEqual({ code, detail });
  });

  test.each<[FailureKind, ProblemCode]>([
    ['unavailable', 'backend_unavailable'],
    ['timeout', 'backend_timeout'],
    ['bad_answer', 'backend_invalid_response'],
    ['outcome_unknown', 'backend_outcome_unknown'],
    ['overloaded', 'overloaded'],
  ])('has no word of the adapter when it is %s', async (kind, code) => {
    const { happened, advice } = problems[code];
    expect(await update(kind, 'the desk is closed on Sundays')).toEqual({ code, detail: `${happened} ${advice}` });
  });
});
