import type { Verdict } from './run.ts';

const marks = { pass: '✓', fail: '✗', skip: '-' } as const;

/** The verdicts as a tree in plain text: a branch for each first word of the ids, and the sum below. */
export function report(verdicts: readonly Verdict[]): string {
  const branches = Map.groupBy(verdicts, ({ id }) => id.split('.')[0] ?? '');
  const lines = [...branches].flatMap(([name, leaves]) => [name, ...leaves.flatMap(leaf)]);
  return [...lines, '', sum(verdicts)].join('\n');
}

function leaf({ outcome, title, id, reason }: Verdict): string[] {
  const line = `  ${marks[outcome]} ${title}`;
  if (outcome === 'pass') return [line];
  if (outcome === 'skip') return [`${line} (skipped: ${reason})`];
  return [`${line} [${id}]`, ...(reason ?? '').split('\n').map((text) => `      ${text}`)];
}

function sum(verdicts: readonly Verdict[]): string {
  const count = (outcome: Verdict['outcome']) => verdicts.filter((verdict) => verdict.outcome === outcome).length;
  return `${count('pass')} passed, ${count('fail')} failed, ${count('skip')} skipped`;
}
