import type { LoadedConfig } from '../config/read.ts';
import type { OperatedGateway } from '../http/operator/page.ts';
import type { Offered, RunningAdapter } from './adapters.ts';
import type { Authentication } from './authentication.ts';
import { runDoctor } from './doctor.ts';
import { listRunningWarnings } from './warnings.ts';

/** The parts of the gateway that the operator's page shows unchanged. */
type Shown = 'audit' | 'clientLimits' | 'drain' | 'guard' | 'impairments' | 'recent';

interface Gateway extends Pick<OperatedGateway, Shown> {
  readonly loaded: LoadedConfig;
  readonly started: readonly RunningAdapter[];
  readonly authentication: Authentication;
  readonly offered: Offered;
}

/** The gateway as its operator sees it. */
export function describeGateway({ loaded, started, authentication, offered, ...shown }: Gateway): OperatedGateway {
  const { config, file } = loaded;
  const { operations, supports, findOwner, reasons } = offered;
  return {
    ...shown,
    institution: config.institution,
    file,
    warnings: () => listRunningWarnings(loaded, started, authentication.loaded),
    operations,
    supports,
    findOwner,
    reasons,
    notes: started.flatMap(({ name, offer: { notes = [] } }) => notes.map((note) => `${name}: ${note}`)),
    examine: (signal) => runDoctor(file, { signal }),
  };
}
