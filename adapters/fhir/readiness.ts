import { Failure } from '../../src/ports/index.ts';
import { Readiness } from '../adapter.ts';
import type { Transactions } from './probe.ts';

/** Whether the FHIR server answers, speaks R4 and keeps transactions whole. */
export class FhirReadiness extends Readiness {
  readonly #transactions: Transactions;

  constructor(transactions: Transactions) {
    super();
    this.#transactions = transactions;
  }

  async problems(signal: AbortSignal): Promise<readonly string[]> {
    try {
      const { flaw } = await this.#transactions.findings({ signal, requestId: 'readiness' });
      return flaw === undefined ? [] : [flaw];
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return ['the FHIR server could not be asked yet what it can do'];
    }
  }
}
