import { describe, expect, test } from '@jest/globals';
import { applyChange } from './mutant.ts';
import { listChanges } from './operators.ts';

/** The texts that the changes of a piece of code make of it. */
const mutate = (text: string, operator?: string): string[] =>
  listChanges('a.ts', text)
    .filter((change) => operator === undefined || change.operator === operator)
    .map((change) => applyChange(text, change));

describe('a mutant', () => {
  test.each([
    ['condition', 'if (a) b();', ['if (!(a)) b();']],
    ['condition', 'const c = a ? 1 : 2;', ['const c = !(a) ? 1 : 2;']],
    ['boundary', 'a < b; c >= d;', ['a <= b; c >= d;', 'a < b; c > d;']],
    ['equality', 'a === b;', ['a !== b;']],
    ['logic', 'a && b || c;', ['a || b || c;', 'a && b && c;']],
    ['nullish', 'const c = a ?? b;', ['const c = a;', 'const c = b;']],
    [
      'arithmetic',
      'a + b * c; d -= 1; e++; -f;',
      [
        'a - b * c; d -= 1; e++; -f;',
        'a + b / c; d -= 1; e++; -f;',
        'a + b * c; d += 1; e++; -f;',
        'a + b * c; d -= 1; e--; -f;',
        'a + b * c; d -= 1; e++; f;',
      ],
    ],
    ['negation', 'const b = !a;', ['const b = a;']],
    ['boolean', 'const a = [true, false];', ['const a = [false, false];', 'const a = [true, true];']],
    [
      'number',
      'const a = [0, 9, 30_000];',
      ['const a = [1, 9, 30_000];', 'const a = [0, 10, 30_000];', 'const a = [0, 9, 60000];'],
    ],
    ['string', "const a = ['x', ''];", ["const a = ['', ''];", "const a = ['x', 'mutant'];"]],
    ['string', `const a = \`x/\${b}\`;`, ["const a = '';"]],
    ['await', 'const a = await b;', ['const a = b;']],
    ['statement', 'a(); await b(); c = d;', ['; await b(); c = d;', 'a(); ; c = d;', 'a(); await b(); ;']],
    ['throw', 'if (a) throw b;', ['if (a) ;']],
    ['return', 'function f() { return a; }', ['function f() { return undefined; }']],
    ['element', 'const a = [b, ...c];', ['const a = [ ...c];', 'const a = [b, ];']],
    ['spread', 'const a = { b, ...c };', ['const a = { b,  };']],
    ['optional', 'a?.b; a?.[b]; a?.(b);', ['a.b; a?.[b]; a?.(b);', 'a?.b; a[b]; a?.(b);', 'a?.b; a?.[b]; a(b);']],
    ['step', 'const a = b.filter(c).map(d);', ['const a = b.map(d);']],
  ])('of %s is one change of %s', (operator, code, mutants) => expect(mutate(code, operator)).toEqual(mutants));

  test.each([
    ['what is so already', 'function f() { return undefined; }'],
    ['types', "type A = 'x' | 1; interface B { c: true } let d: 'y';"],
    ['imports', "import { a } from 'b'; export { a } from 'b';"],
    ['text for people', "const a = { b: ['a text for people'], description: 'x', title: f('y') };"],
    ['names of properties', "const a = { 'b-c': d };"],
  ])('is made of no %s', (_what, code) => expect(mutate(code)).toEqual([]));
});
