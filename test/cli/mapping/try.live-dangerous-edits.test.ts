import { describe, expect, test } from '@jest/globals';
import { examineLive } from '../../../src/cli/mapping/try.ts';
import { ConfigProblems } from '../../../src/toolkit/problems.ts';
import { makeDatabase, writeMapping } from '../../support/mapped-clinic.ts';
import { runSigho, writeHospitalMapping } from '../../support/mapped-hospital.ts';
import { httpEdits, sqlEdits } from '../../support/mapping/dangerous-edits.ts';
import { locateFile } from '../../support/mapping-tools.ts';

/** What `check` and `check --live` say of a file. */
async function examine(file: string): Promise<string> {
  try {
    return (await examineLive(locateFile(file), () => undefined, '1001')).join('\n');
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error;
    return error.message;
  }
}

const edit = (from: string, to: string) => (text: string) => {
  expect(text.split(from).length).toBeGreaterThan(1);
  return text.replace(from, () => to);
};

const isRefused = ([, , , refused]: (typeof sqlEdits)[number]): boolean => refused !== 'contract';

test('of more than forty dangerous edits of the examples all but two are refused by puente check', () => {
  const all = [...sqlEdits, ...httpEdits];
  expect(all.length).toBeGreaterThanOrEqual(40);
  expect(all.filter((each) => !isRefused(each)).length).toBeLessThanOrEqual(2);
});

describe('puente check refuses', () => {
  test.each(sqlEdits.filter(isRefused))('over SQL: %s', async (_, from, to, refused) => {
    expect(await examine(writeMapping(makeDatabase(), edit(from, to)))).toContain(refused);
  });

  test.each(httpEdits.filter(isRefused))('over HTTP: %s', async (_, from, to, refused) => {
    const { url } = await runSigho();
    expect(await examine(writeHospitalMapping(url, edit(from, to)))).toContain(refused);
  });
});
