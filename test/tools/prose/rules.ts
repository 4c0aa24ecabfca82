/** A rule of the language guide that a sentence breaks. */
export interface Finding {
  readonly rule: string;
  readonly text: string;
}

/** The most words of a sentence, beside its spans of code. */
const MAX_WORDS = 30;

/** Replaces a span of code, which has no words of its own. */
export const CODE = 'CODE';

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** The sentences of a paragraph. An abbreviation, a bracket and a quotation mark end none. */
export function listSentences(paragraph: string): readonly string[] {
  const text = paragraph.replaceAll(/\s+/g, ' ').replaceAll(/\b(e\.g|i\.e|etc|vs|No)\./g, '$1');
  return [...segmenter.segment(text)].map(({ segment }) => segment.trim()).filter((segment) => /[a-z]/i.test(segment));
}

const participle = String.raw`(?:\w+ed|known|given|written|sent|made|kept|held|left|read|shown|taken|found|built|put|lost|seen|done)`;
const passive = new RegExp(
  String.raw`\b(?:is|are|was|were|be|been|being|gets?)\s+(?:(?:not|only|also|then|\w+ly)\s+)*${participle}\b`,
  'gi',
);

/** A heading or a cell without a full stop is no sentence. */
const headless = /^(?:Who|What|Whoever|Whatever|Whether|Those|That of|One (?:that|which|who|whose|of))\b.*[.:!]$/;

/** Words with which the field does not speak, each with those that it uses. */
const wrongWords: readonly (readonly [RegExp, string])[] = [
  [/\b(?:tells?|told)\b/i, 'report, return, show'],
  [/\bsa(?:y|ys|id)\b/i, 'report, state, show'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix, repair'],
  [/\blook(?:s|ed|ing)? after\b/i, 'check'],
  [/\bstand(?:s|ing)?\b(?!-)|\bstood\b/i, 'be, remain, apply'],
  [/\b(?:gives?|gave|given) up\b/i, 'stop, cancel'],
  [/\b(?:means|meant)\b(?! of\b)/i, 'is, refers to'],
  [/(?<!\b(?:any|every|some|no)(?:thing|body|one|where) |\b(?:what|who|all) )\belse\b/i, 'otherwise, other'],
  [/\bso many\b/i, 'the number'],
  [/\bat the most\b/i, 'at most'],
];

/** Compares a sentence with the language guide. */
export function checkSentence(sentence: string): readonly Finding[] {
  const words = sentence
    .replaceAll(CODE, '')
    .split(' ')
    .filter((word) => /\w/.test(word));
  const passives = sentence.match(passive) ?? [];
  return [
    ...(words.length > MAX_WORDS ? [{ rule: 'length', text: `${words.length} words: split the sentence` }] : []),
    ...(passives.length > 2 ? [{ rule: 'passive', text: `${passives.join(', ')}: name the actor` }] : []),
    ...(headless.test(sentence) ? [{ rule: 'headless', text: 'begins without a noun: name the thing' }] : []),
    ...wrongWords.flatMap(([pattern, better]) => {
      const [found] = pattern.exec(sentence) ?? [];
      return found === undefined ? [] : [{ rule: 'word', text: `${found}: write ${better}` }];
    }),
  ];
}

/** The words of a sentence that a dictionary can know: no code, no names in camel case, no numbers. */
export const listWords = (sentence: string): readonly string[] =>
  [...sentence.matchAll(/(?<![\w@#./:%$-])\p{L}[\p{L}'’]*(?![\w/@=]|[.:]\w)/gu)]
    .map(([word]) => word.replaceAll('’', "'").replace(/'s?$/, ''))
    .filter((word) => word.length > 1 && !/^.+\p{Lu}/u.test(word));
