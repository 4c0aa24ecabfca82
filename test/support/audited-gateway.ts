import { randomBytes } from 'node:crypto';
import type { Container } from 'inversify';
import type { AuditRecord } from '../../src/audit/record.ts';
import { parseGroup } from '../../src/audit/record.ts';
import { openSqlite } from '../../src/database/sqlite.ts';
import { parts } from '../../src/runtime/parts.ts';
import { openDurableState } from '../../src/state/open.ts';
import type { AuditRecords, State } from '../../src/state/state.ts';
import { type RunningGateway, type StartGatewayOptions, startGateway } from './gateway.ts';

export interface AuditedGateway extends RunningGateway {
  readonly records: AuditRecords;
  /** Every record of a request so far, in its order, also those that were not written before. */
  listRecords(): Promise<readonly AuditRecord[]>;
}

/** A state that audit trails are kept in, and that ends with the process. */
export const openAuditedState = async (): Promise<State> =>
  openDurableState(await openSqlite(':memory:'), randomBytes(32));

/** The records of all chains, in their order; of each the first groups. */
export async function readRecords(records: AuditRecords): Promise<AuditRecord[]> {
  const all: AuditRecord[] = [];
  for (const { chain } of await records.listChains()) {
    for (const { seq, text = '' } of await records.read(chain, 0)) {
      all.push(...parseGroup({ chain, seq, text }).map(({ record }) => record));
    }
  }
  return all;
}

/** A gateway that keeps an audit trail. */
export async function startAuditedGateway(options: StartGatewayOptions = {}): Promise<AuditedGateway> {
  const state = options.state ?? (await openAuditedState());
  let container: Container | undefined;
  const gateway = await startGateway({
    ...options,
    state,
    rebind: (made) => {
      container = made;
      options.rebind?.(made);
    },
  });
  return {
    ...gateway,
    records: state.audit!,
    listRecords: async () => {
      await container?.get(parts.audit)?.writer.flush();
      return (await readRecords(state.audit!)).filter(({ client }) => client !== 'puente');
    },
    stop: async () => {
      await gateway.stop();
      if (!options.state) await state.close();
    },
  };
}
