import { styleText } from 'node:util';
import type { Gateway } from '../http/gateway.ts';
import type { TrialToken } from './trial-token.ts';

export interface BannerOptions {
  readonly gateway: Gateway;
  /** Where the gateway listens, e.g. `http://127.0.0.1:8080`, without the base path. */
  readonly address: string;
  readonly trial: TrialToken | undefined;
  /** The stream that it is meant for; colours depend on it. */
  readonly stream: NodeJS.WriteStream;
}

/** What a person wants to know of a gateway that has just started, with a curl line that works when pasted. */
export function formatBanner({ gateway, address, trial, stream }: BannerOptions): string {
  const base = `${address}${gateway.basePath}`;
  const offered = gateway.operations.filter(({ uses }) => gateway.supports.has(uses)).length;
  const rows = [
    ['Address', base],
    ['Documentation', `${base}/docs`],
    ['Adapter', `${gateway.adapter}, offers ${offered} of ${gateway.operations.length} operations`],
    ...(trial?.made ? [['Token', `${trial.token}  (made for this run, not shown again)`]] : []),
  ];
  return [
    '',
    styleText('bold', `  Puente ${gateway.version}`, { stream }),
    '',
    ...rows.map(([name, value]) => `  ${styleText('dim', name!.padEnd(15), { stream })}${value}`),
    '',
    `  ${formatCurl(base, gateway.anonymousGroupA, trial)}`,
    '',
    '',
  ].join('\n');
}

function formatCurl(base: string, anonymous: boolean, trial: TrialToken | undefined): string {
  const url = `${base}/practitioner/`;
  if (anonymous) return `curl -s ${url}`;
  if (trial?.made) return `curl -s -H 'Authorization: Bearer ${trial.token}' ${url}`;
  return `curl -s -H "Authorization: Bearer ${trial ? '$PUENTE_TOKEN' : '$TOKEN'}" ${url}`;
}
