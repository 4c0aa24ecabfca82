import type { LoadedConfig } from '../config/read.ts';
import type { OperatorSources } from '../http/operator/operator.ts';
import type { State } from '../state/state.ts';
import type { Offered, RunningAdapter } from './adapters.ts';
import { runDoctor } from './doctor.ts';
import { listStartWarnings } from './warnings.ts';

/** The parts of the gateway that the operator's page shows unchanged. */
type Shown = 'audit' | 'clientLimits' | 'drain' | 'guard' | 'impairments' | 'omitted' | 'recent' | 'refusals';

interface Gateway extends Pick<OperatorSources, Shown> {
  readonly loaded: LoadedConfig;
  readonly started: readonly RunningAdapter[];
  readonly offered: Offered;
  readonly state: State;
}

/** The gateway as its operator sees it. */
export function describeGateway({ loaded, started, offered, state, ...shown }: Gateway): OperatorSources {
  const { config, file } = loaded;
  const { adapters, operations, supports, findOwner } = offered;
  return {
    ...shown,
    institution: config.institution,
    file,
    warnings: listStartWarnings(loaded, started),
    adapters,
    operations,
    supports,
    findOwner,
    notes: started.flatMap(({ name, offer: { notes = [] } }) => notes.map((note) => `${name}: ${note}`)),
    state: {
      kind: config.state.kind,
      get failure() {
        return state.failure;
      },
      clockOffset: state.clockOffset,
    },
    examine: () => runDoctor(file),
  };
}
