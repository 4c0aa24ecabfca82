import { z } from 'zod';
import type { Case, CaseResult } from '../../contract/index.ts';
import { didYouMean } from '../../toolkit/did-you-mean.ts';
import { YamlFile } from '../../toolkit/yaml-file.ts';
import { CannotRun } from './cannot-run.ts';

/** Cases that are known to fail, by their ids, each with the reason. */
export type KnownFailures = ReadonlyMap<string, string>;

const reasons = z.record(z.string(), z.string().regex(/\S/));

/**
 * Reads the failures that are known.
 * @throws ConfigProblems when the file cannot be read, and CannotRun when a case is not one, or has no reason.
 */
export function readKnownFailures(file: string, cases: readonly Case[]): KnownFailures {
  const { data } = reasons.safeParse(
    new YamlFile(file, { option: '--skip', example: 'patients.register.twice: a reason' }).toJS(),
  );
  if (!data) throw new CannotRun(`each case in ${file} needs a reason`);
  const ids = cases.map(({ id }) => id);
  const strange = Object.keys(data).find((id) => !ids.includes(id));
  if (strange !== undefined) throw new CannotRun(`${file} names no case: ${strange}${didYouMean(strange, ids)}`);
  return new Map(Object.entries(data));
}

/** A failure that is known is skipped for its reason; a case that passes after all fails, so that nothing stays known for ever. */
export function applyKnown(result: CaseResult, known: KnownFailures): CaseResult {
  const { error: _, meanwhile: __, ...rest } = result;
  const reason = known.get(result.id);
  if (reason === undefined || result.outcome === 'skip') return result;
  if (result.outcome === 'fail') return { ...rest, outcome: 'skip', reason: `a known failure: ${reason}` };
  return { ...rest, outcome: 'fail', reason: `it passes, and is named as a known failure: ${reason}` };
}
