import { Failure, type Impairment, type Readiness, type Report } from '../../src/ports/index.ts';
import { getCauseCode } from '../http-client/failures.ts';
import type { Transactions } from './rest/transactions.ts';

const toUnreachable = (why: string): Impairment => ({
  code: 'backend_unreachable',
  detail: `the capabilities of the FHIR server could not be read (${why}), which is tried again every few seconds; check that the server runs, baseUrl and auth`,
});

/** Whether the FHIR server answers, speaks R4 and executes transactions as a whole. */
export class FhirReadiness implements Readiness {
  readonly #transactions: Transactions;

  constructor(transactions: Transactions) {
    this.#transactions = transactions;
  }

  async report(signal: AbortSignal): Promise<Report> {
    try {
      const { kind, impairment } = await this.#transactions.getServerProfile({ signal, requestId: 'readiness' });
      return { backend: kind, impairments: impairment ? [impairment] : [] };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { impairments: [toUnreachable(getCauseCode(error) ?? error.kind)] };
    }
  }
}
