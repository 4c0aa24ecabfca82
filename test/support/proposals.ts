import { join } from 'node:path';
import type { FieldGuess, MissingThing, ThingGuess } from '../../adapters/mapping/proposal/guess.ts';
import { getFields } from '../../src/toolkit/records.ts';
import { YamlFile } from '../../src/toolkit/yaml-file.ts';

/** Counts of fields that were read right, wrong, or left as a question. */
export interface ProposalScore {
  readonly right: number;
  readonly wrong: readonly string[];
  readonly open: readonly string[];
}

type Expected = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** Compares what was guessed with the file of the hospital in `test/support/proposals`. */
export function scoreProposal(hospital: string, guesses: readonly (ThingGuess | MissingThing)[]): ProposalScore {
  const content = new YamlFile(join(import.meta.dirname, 'proposals', `${hospital}.yaml`)).toJS();
  const { codes, ...things } = content as unknown as Expected & { codes: Readonly<Record<string, object>> };
  const right: string[] = [];
  const wrong: string[] = [];
  const given = new Set<string>();
  for (const guess of guesses) {
    // If the table is a question, its fields are questions too.
    if ('why' in guess || guess.unless !== undefined) continue;
    for (const field of guess.fields) {
      const name = `${guess.thing}.${field.path.join('.')}`;
      given.add(name);
      const columns = formatColumns(field);
      const isRight =
        things[guess.thing]?.[field.path.join('.')]?.includes(columns) && agrees(field, getFields(codes[name]));
      (isRight ? right : wrong).push(`${name}: ${columns} ${JSON.stringify(field.conversion)}`);
    }
  }
  const open = Object.entries(things).flatMap(([thing, fields]) =>
    Object.keys(fields).flatMap((field) => (given.has(`${thing}.${field}`) ? [] : [`${thing}.${field}`])),
  );
  return { right: right.length, wrong, open };
}

const formatColumns = ({ places, conversion }: FieldGuess): string =>
  places.length === 0
    ? String(conversion.value)
    : places.map(({ member, column }) => `${member.table.name}.${column.name}`).join(' + ');

/** True if every code has the expected meaning. */
function agrees({ conversion }: FieldGuess, expected: Readonly<Record<string, unknown>>): boolean {
  const codes = typeof conversion.codes === 'object' ? conversion.codes : {};
  return Object.entries(codes).every(([code, word]) => expected[code] === word);
}

export const formatScore = (hospital: string, { right, wrong, open }: ProposalScore): string =>
  [
    `${hospital}: ${right} right, ${wrong.length} wrong, ${open.length} open`,
    ...wrong.map((each) => `  wrong: ${each}`),
    `  open: ${open.join(' ')}`,
    '',
  ].join('\n');
