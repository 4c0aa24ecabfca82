import { expect, test } from '@jest/globals';
import { findCoveredLines } from './covered-lines.ts';

test('the lines that ran are those outside of every range that did not, and inner ranges count', () => {
  const text = 'const a = 1;\nfunction f() {\n  if (a) {\n    b();\n  }\n  c();\n}\n\nf();\n';
  const at = (part: string) => text.indexOf(part);
  const range = (start: string, end: string, count: number) => ({
    startOffset: at(start),
    endOffset: at(end) + end.length,
    count,
  });
  const script = {
    url: 'file:///a.ts',
    functions: [
      { ranges: [{ startOffset: 0, endOffset: text.length, count: 1 }] },
      { ranges: [range('function', '\n}', 1), range('{\n    b', '  }', 0)] },
    ],
  };
  expect(findCoveredLines(text, script)).toEqual([1, 2, 3, 6, 7, 9]);
  const unused = { ...script, functions: [script.functions[0]!, { ranges: [range('function', '\n}', 0)] }] };
  expect(findCoveredLines(text, unused)).toEqual([1, 9]);
});
