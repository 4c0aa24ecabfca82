import fc from 'fast-check';

/** What ends a text, begins something else, or means more than itself where values are put into requests and statements. */
const pieces = [
  ...["'", '"', '`', '\\', ';', '--', '/*', '*/', '$$', '$1', '?1', '?', '%', '&', '=', '#', '+', ',', '\t', '\0'],
  ...[
    '\r\nX-Evil: 1',
    '\n',
    ' ',
    '..',
    '.',
    '/',
    '//evil.example',
    '\\\\evil.example',
    '%2e%2e',
    '%2F',
    '@evil.example',
  ],
  ...[
    '<',
    '>',
    '</a>',
    '<b/>',
    ']]>',
    '<!--',
    '-->',
    '<?x?>',
    '&lt;',
    '&#0;',
    '<!DOCTYPE a>',
    '{',
    '}',
    '[',
    ']',
    '$&',
  ],
  ...[':id', ':other', "'); DROP TABLE pacientes; --", "' OR '1'='1", 'NULL', 'null', 'true', '1e400', '-0', '\uFEFF'],
  ...['ñ', 'Ñ', '李', '\u2028', '\uD800', '\u202E', '__proto__', 'constructor', 'env:SECRET', 'file:/etc/passwd'],
];
const value = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
);

/** The same ones each time. */
export const listHostileValues = (count: number): readonly string[] => fc.sample(value, { numRuns: count, seed: 20 });
