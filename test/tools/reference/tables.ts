import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { problemCodes, problems } from '../../../src/api/index.ts';
import { auditRecord } from '../../../src/audit/record.ts';
import { otherReasons, tokenProblems } from '../../../src/auth/refusals.ts';
import { loginFixes } from '../../../src/http-client/login-failure.ts';
import { formatTable, quote } from './markdown.ts';

const byStatus = problemCodes.toSorted((a, b) => problems[a].status - problems[b].status);

/** Every problem with its status and its meaning. */
export const formatProblems = (): string =>
  formatTable(
    ['Status', 'Code', 'Cause', 'Effect, and what the caller does'],
    byStatus.map((code) => [
      String(problems[code].status),
      quote(code),
      problems[code].happened,
      problems[code].advice,
    ]),
  );

/** The fields of an audit record. */
export const formatAuditRecord = (): string =>
  formatTable(
    ['Field', 'Content'],
    Object.entries(auditRecord.shape).map(([name, { description = '' }]) => [quote(name), description]),
  );

/** Why a token is refused, and what the operator does. */
export const formatTokenReasons = (): string =>
  formatTable(
    ['Reason', 'Problem: what to do'],
    Object.entries({ ...otherReasons, ...tokenProblems }).map(([reason, text]) => [quote(reason), text]),
  );

/** Why a login at another system fails, and what the operator does. */
export const formatLoginFailures = (): string =>
  formatTable(
    ['Code', 'The endpoint', 'What to do'],
    Object.entries(loginFixes).map(([code, [problem, fix]]) => [quote(code), problem, fix]),
  );

const sandboxCast = z.object({ cast: z.record(z.string(), z.object({ says: z.string() })) });

/** The patients of the sandbox. */
export function formatCast(): string {
  const { cast } = sandboxCast.parse(JSON.parse(readFileSync('config/sandbox-cast.json', 'utf8')));
  return formatTable(
    ['Id', 'This patient'],
    Object.entries(cast).map(([id, { says }]) => [quote(id), says]),
  );
}
