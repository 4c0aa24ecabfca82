import { styleText } from 'node:util';
import type { Config } from '../config/schema.ts';
import { version } from '../toolkit/package.ts';
import type { TrialToken } from './trial-token.ts';

/**
 * The text at start: address, documentation, adapter, trial token, and commands that work when pasted.
 * @param address of the gateway without the base path, e.g. `http://127.0.0.1:8080`.
 * @param adapters as `describeAdapters` has them.
 * @param stream where the banner will be written; decides about colors.
 */
export function formatBanner(
  { http, auth }: Config,
  address: string,
  adapters: readonly string[],
  trial: TrialToken | undefined,
  stream: NodeJS.WriteStream,
): string {
  const base = `${address}${http.basePath}`;
  const rows = [
    ['Address', base],
    ...(http.docs === 'on' ? [['Documentation', `${base}/docs`]] : []),
    ...formatAdapterRows(adapters),
    ...(trial?.generated ? [['Token', `${trial.token}  (generated for this run, not shown again)`]] : []),
  ];
  return [
    '',
    styleText('bold', `  Puente ${version}`, { stream }),
    '',
    ...rows.map(([name, value]) => `  ${styleText('dim', name!.padEnd(15), { stream })}${value}`),
    '',
    ...listCommands(base, auth.groupA === 'none', trial).map((line) => `  ${line}`),
    '',
    '',
  ].join('\n');
}

/** A request; with a token of this run after the variables that the README's commands use. */
function listCommands(base: string, anonymous: boolean, trial: TrialToken | undefined): string[] {
  const path = 'practitioner/';
  if (anonymous) return [`curl -s ${base}/${path}`];
  if (!trial?.generated) {
    return [`curl -s -H "Authorization: Bearer ${trial ? '$PUENTE_TOKEN' : '$TOKEN'}" ${base}/${path}`];
  }
  return [
    `export TOKEN=${trial.token} PUENTE_URL=${base}`,
    `curl -s -H "Authorization: Bearer $TOKEN" $PUENTE_URL/${path}`,
  ];
}

/** The rows of the adapters, none wider than 80 columns. */
export function formatAdapterRows([first = '', ...further]: readonly string[]): string[][] {
  const rows = further.flatMap((line) => wrap(line).map((part) => ['', part]));
  return [[rows.length > 0 ? 'Adapters' : 'Adapter', first], ...rows];
}

/** Breaks a line at its blanks for a terminal of 80 columns; what follows is indented. */
function wrap(line: string): string[] {
  const lines: string[] = [];
  for (const word of line.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined) lines.push(word);
    else if (last.length + 1 + word.length <= 80 - 17) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`  ${word}`);
  }
  return lines;
}

/** An address that can be opened on this machine, also if the gateway listens on all addresses. */
export function formatAddress(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
