import { styleText } from 'node:util';
import { isOffered } from '../api/index.ts';
import type { Gateway } from '../http/gateway.ts';
import type { TrialToken } from './trial-token.ts';

export interface BannerOptions {
  readonly gateway: Gateway;
  /** The address of the gateway without the base path, e.g. `http://127.0.0.1:8080`. */
  readonly address: string;
  readonly trial: TrialToken | undefined;
  /** Where the banner will be written; decides about colors. */
  readonly stream: NodeJS.WriteStream;
}

/** The text at start: address, documentation, adapter, trial token, and a curl command that works when pasted. */
export function formatBanner({ gateway, address, trial, stream }: BannerOptions): string {
  const base = `${address}${gateway.basePath}`;
  const offered = gateway.operations.filter((operation) => isOffered(operation, gateway.supports)).length;
  const rows = [
    ['Address', base],
    ['Documentation', `${base}/docs`],
    ['Adapter', `${gateway.adapter} (offers ${offered} of ${gateway.operations.length} operations)`],
    ...(trial?.generated ? [['Token', `${trial.token}  (generated for this run, not shown again)`]] : []),
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
  if (trial?.generated) return `curl -s -H 'Authorization: Bearer ${trial.token}' ${url}`;
  return `curl -s -H "Authorization: Bearer ${trial ? '$PUENTE_TOKEN' : '$TOKEN'}" ${url}`;
}
