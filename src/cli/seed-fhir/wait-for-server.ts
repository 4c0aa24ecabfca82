import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../../adapters/fhir/rest/client.ts';
import type { Caller } from '../../../adapters/fhir/rest/transport.ts';
import { Failure } from '../../ports/index.ts';

/**
 * Waits until the server answers, for at most this many seconds.
 * @throws Failure of the last attempt; unsupported when the server has another FHIR version than R4 (4.0).
 */
export async function waitForServer(client: Client, seconds: number, caller: Caller): Promise<void> {
  const until = performance.now() + seconds * 1000;
  for (;;) {
    try {
      const { fhirVersion } = await client.metadata(caller);
      if (String(fhirVersion).startsWith('4.0')) return;
      throw new Failure('unsupported', 'the server does not speak FHIR R4 (4.0)');
    } catch (error) {
      // While a server starts, it may refuse connections or answer 404 or HTML.
      const isFinal = !(error instanceof Failure) || error.kind === 'unsupported' || performance.now() > until;
      if (isFinal) throw error;
      await sleep(1_000, undefined, { signal: caller.signal });
    }
  }
}
