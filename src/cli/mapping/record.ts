import { appendFileSync, existsSync } from 'node:fs';
import type { MappingFile } from '../../../adapters/mapping/file/schema.ts';
import { ConfigProblems } from '../../toolkit/problems.ts';
import { formatYaml } from '../../toolkit/yaml-file.ts';
import { checkNames, complete, findEntry, type Given } from './entry.ts';
import { createInvention } from './invent.ts';
import { type Located, load, use } from './open.ts';
import { run } from './outcome.ts';
import { exceptCodes, replaceAnswer, replaceTexts } from './replace-values.ts';
import { play, TestFile } from './test-file.ts';

/**
 * Asks a question, and adds it to a file of tests with invented values.
 * @throws ConfigProblems when nothing is recorded: it is a change, or the system did not answer.
 */
export async function record({ path, institution }: Located, text: string, given: Given, out: string): Promise<void> {
  const file = load(path);
  const entry = findEntry(text, file);
  checkNames(given, entry);
  if (entry.isChange) throw new ConfigProblems([`${text} changes something; only questions are recorded`]);
  if (existsSync(out)) new TestFile(out);
  const { asked, exchanges, fails } = await use(file, institution, async (hospital) => {
    const asked = complete(given, entry, hospital.zone.toLocalDay(new Date().toISOString()));
    return { ...(await run(hospital, entry, asked)), asked };
  });
  const answered = exchanges.filter(({ sent }) => sent !== getLogin(file));
  if (answered.length === 0)
    throw new ConfigProblems([`${text} has no answer that can be recorded: ${fails ?? 'nothing was sent'}`]);

  const invent = exceptCodes(file, createInvention(file));
  const answers = answered.map((exchange) => replaceAnswer(exchange, file, invent));
  const [{ status } = {}] = answered;
  const source =
    status === undefined
      ? { rows: JSON.parse(answers[0]!) as Record<string, string | null>[] }
      : { answer: answers.length === 1 ? answers[0]! : answers, ...(status !== 200 && { status }) };
  const test = { ask: text, with: replaceTexts(asked, invent) as Given, ...source };
  const { exchanges: played, gives, omitted, fails: failed } = await play(test, file, institution);
  if (failed !== fails)
    throw new ConfigProblems([`${text} is not recorded: it fails once its values are invented ones`]);
  const sent = played.map((each) => each.sent);
  const recorded = {
    name: `${text}, recorded; its values are invented`,
    ...test,
    sent: sent.length === 1 ? sent[0]! : sent,
    ...(gives !== undefined && { gives }),
    ...(omitted.length > 0 && { leavesOut: omitted.map(({ element }) => element) }),
    ...(failed !== undefined && { fails: failed }),
  };
  appendFileSync(out, formatYaml([recorded]));
}

const getLogin = ({ http }: MappingFile): string | undefined =>
  http?.login.kind === 'session' ? http.login.request : undefined;
