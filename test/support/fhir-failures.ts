import { operations, problems, toRejection } from '../../src/api/index.ts';
import { Failure } from '../../src/ports/index.ts';

/** What a stand-in for a FHIR server says in words, which nobody else may ever read. */
const SECRET = 'Ana Muñoz, DNI 31465466, ORA-00942';

/** An OperationOutcome that tells too much; with the elements that it refuses, if it names them. */
export const makeOutcome = (code: string, ...expression: readonly string[]) => ({
  resourceType: 'OperationOutcome',
  issue: [
    {
      severity: 'error',
      code,
      diagnostics: SECRET,
      details: { text: SECRET },
      ...(expression.length > 0 && { expression }),
    },
  ],
});

/**
 * The status and the code that the caller of an operation gets when work of its port fails.
 * @throws Error when it succeeds, fails with something else than a Failure, or repeats the server.
 */
export async function getProblem(work: Promise<unknown>, name: string): Promise<string> {
  const error = await work.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  );
  const operation = operations.find((each) => each.name === name);
  if (!operation || !(error instanceof Failure)) throw error;
  const { code, details } = toRejection(error, operation);
  const said = JSON.stringify([error, error.message, details.happened, details.faults]);
  if (SECRET.split(/[ ,]+/).some((word) => word.length > 4 && said.includes(word)))
    throw new Error('it repeats the server');
  return `${problems[code].status} ${code}`;
}
