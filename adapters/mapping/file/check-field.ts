import { didYouMean } from '../../../src/toolkit/did-you-mean.ts';
import { dateTokens, findPatternFault, timeTokens } from '../formats/date-pattern.ts';
import { compileExpression, ExpressionFault } from '../formats/expression.ts';
import { splitPath } from '../sources/source.ts';
import { type Conversion, type FieldMapping, type Fields, listPaths, toConversion } from './field.ts';
import type { Kind, Leaf } from './leaves.ts';
import type { MappingFile } from './schema.ts';

/** What each kind needs of a pattern; the others have none. */
const patternTokens: { readonly [K in Kind]?: Parameters<typeof findPatternFault>[1] } = {
  day: dateTokens,
  dateTime: [...dateTokens, ...timeTokens],
  instant: [...dateTokens, ...timeTokens],
  time: timeTokens,
};

/** What is wrong with a field, one sentence each with what mends it. */
export function checkField(leaf: Leaf, mapping: FieldMapping | Fields, { codes }: MappingFile): string[] {
  const conversion = toConversion(mapping as FieldMapping);
  return [
    ...checkKeys(leaf, conversion),
    ...checkFormat(leaf.kind, conversion),
    ...checkCodes(leaf, conversion, codes),
    ...checkExpression(conversion),
  ];
}

const pathName = /^[^[\]]+(\[[^[\]=]+=[^[\]]*\])?$/;

const isBroken = (path: string): boolean =>
  splitPath(path.replace(/^(\.\.\/)+/, '')).some((name) => !pathName.test(name.trim()));

/** Keys that are missing, or say nothing for the kind or beside each other. */
function checkKeys({ kind, path, isInList, words }: Leaf, conversion: Conversion): string[] {
  const has = (key: keyof Conversion): boolean => conversion[key] !== undefined && conversion[key] !== false;
  const paths = listPaths(conversion);
  const origins = (['from', 'value', 'expression'] as const).filter((key) => conversion[key] !== undefined);
  const faults: (readonly [boolean, string])[] = [
    [origins.length === 0, 'says not where it comes from; add `from`, `value` or `expression`'],
    [origins.length > 1, `has ${origins.map((key) => `\`${key}\``).join(' and ')}; keep one of them`],
    [
      paths.some(isBroken),
      'has a path that cannot be read; write names with one dot between them, e.g. ADDRESS.STREET or PHONES[MAIN=true].NUMBER',
    ],
    [has('join') && paths.length < 2, '`join` stands between several; write `from: [A, B]`, or leave it out'],
    [has('split') && !isInList, '`split` makes entries of a list, and this is none; leave it out'],
    [has('codes') && has('format'), 'has `codes` and `format`, which exclude each other; keep one of them'],
    [has('codes') && has('numeric'), 'has `codes` and `numeric`, which exclude each other; keep one of them'],
    [has('encode') && has('numeric'), 'has `encode` and `numeric`, which exclude each other; keep one of them'],
    [has('numeric') && kind !== 'text', `\`numeric\` is for ids and texts, and this is ${nouns[kind]}; leave it out`],
    [has('digits') && kind !== 'text', `\`digits\` is for ids and texts, and this is ${nouns[kind]}; leave it out`],
    [has('encode') && kind !== 'text', `\`encode\` is for ids, and this is ${nouns[kind]}; leave it out`],
    [
      typeof conversion.value === 'string' && /^:[a-z]\w*$/i.test(conversion.value),
      `\`value\` is always this text, and ${conversion.value} is known in questions and changes alone; write \`from\` and the column or element that has it`,
    ],
    [
      conversion.value !== undefined && path[0] === 'free',
      '`value` is always this, and a time is free or taken; leave `free` out where the system lists but one of them',
    ],
    [
      has('value') && words.length > 0 && !words.includes(String(conversion.value)),
      `\`value\` must be one of ${words.join(', ')}${didYouMean(String(conversion.value), words)}`,
    ],
  ];
  return faults.flatMap(([isThere, what]) => (isThere ? [what] : []));
}

/** What each kind is called. */
export const nouns: Readonly<Record<Kind, string>> = {
  text: 'a text',
  number: 'a number',
  flag: 'true or false',
  day: 'a day',
  dateTime: 'a day with a time',
  instant: 'a day with a time',
  time: 'a time',
  word: 'a word of Puente, to which `codes` lead',
};

function checkFormat(kind: Kind, { format }: Conversion): string[] {
  if (format === undefined) return [];
  const needed = patternTokens[kind];
  if (!needed) return [`\`format\` is for days and times, and this is ${nouns[kind]}; leave it out`];
  const fault = findPatternFault(format, needed);
  return fault === undefined ? [] : [`\`format\` ${fault}`];
}

function checkCodes({ kind, words }: Leaf, { codes }: Conversion, tables: MappingFile['codes'] | undefined): string[] {
  // Tables that are wrong themselves were told.
  if (codes === undefined || !tables) return [];
  const table = typeof codes === 'string' ? tables[codes] : codes;
  if (!table) {
    const names = Object.keys(tables);
    return [
      `there is no table \`${String(codes)}\` in \`codes\`${didYouMean(String(codes), names) || '; add it there'}`,
    ];
  }
  if (words.length > 0) {
    const given = new Set(Object.values(table).map(String));
    const wrong = [...given].filter((word) => !words.includes(word));
    // Of more words than two a system may not know all; of two it would say the other in a way that is not read.
    const lacking = words.length === 2 && wrong.length === 0 ? words.filter((word) => !given.has(word)) : [];
    return [
      ...wrong.map(
        (word) => `a code leads to ${word}, which must be one of ${words.join(', ')}${didYouMean(word, words)}`,
      ),
      ...lacking.map(
        (word) => `no code leads to ${word}; add the one that does, or \`value\` in the place of \`codes\``,
      ),
    ];
  }
  const isNumber = kind !== 'number' || Object.values(table).every((word) => !Number.isNaN(Number(word)));
  return isNumber ? [] : ['a code leads to what is no number; write numbers on the right'];
}

function checkExpression({ expression }: Conversion): string[] {
  if (expression === undefined) return [];
  try {
    compileExpression(expression);
    return [];
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error;
    return [`\`expression\`: ${error.message}`];
  }
}
