import { expect, test } from '@jest/globals';
import { toCountryName } from '../../src/ports/index.ts';

test.each([
  ['AR', 'Argentina'],
  ['ARG', 'Argentina'],
  ['CL', 'Chile'],
  ['BR', 'Brasil'],
  ['ES', 'España'],
])('the country with the code %s is %s', (code, name) => {
  expect(toCountryName(code)).toBe(name);
});

test.each(['', 'Chile', 'cl', 'URY', 'ZZ', 'XA', 'QQ', 'AQX', '1A', 'Cl'])(
  '%j is no code of two letters, and stays as it is',
  (text) => {
    expect(toCountryName(text)).toBe(text);
  },
);
