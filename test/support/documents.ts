import fc from 'fast-check';

/** The digits of a DNI, without leading zeros. */
export const dniNumber = fc.integer({ min: 1, max: 9_999_999_999 }).map(String);

const group = (digits: string, mark: string): string => digits.replaceAll(/\B(?=(\d{3})+$)/g, mark);

/** Ways in which people and systems spell that DNI. */
export const spelledDni = (digits: string): fc.Arbitrary<string> =>
  fc
    .record({
      word: fc.constantFrom('', '', 'DNI ', 'dni', 'D.N.I. ', 'DNI Nº '),
      zeros: fc.nat(2),
      mark: fc.constantFrom('', '.', ' ', '\u00a0', ',', '-', '’'),
    })
    .map(
      ({ word, zeros, mark }) => word + group(digits.padStart(digits.length + (mark === '' ? zeros : 0), '0'), mark),
    );

/** The digits with something in them, or after them, that no grouping by threes explains. */
export const brokenDni = (digits: string): fc.Arbitrary<string> => {
  const between = fc
    .record({ at: fc.integer({ min: 1, max: digits.length }), sign: fc.constantFrom(...'.,-/ eEX²₂①٣') })
    .filter(({ at, sign }) => /[a-z²₂①٣]/i.test(sign) || (digits.length - at) % 3 !== 0 || at === digits.length)
    .filter(({ at, sign }) => !(sign === ' ' && at === digits.length))
    .map(({ at, sign }) => digits.slice(0, at) + sign + digits.slice(at));
  const tail = fc.constantFrom('.0', '.00', ',5', 'e1', 'E+2', '²', '-3', '/1').map((end) => digits + end);
  return fc.oneof(between, tail);
};
