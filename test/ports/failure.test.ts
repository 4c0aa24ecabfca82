import { expect, test } from '@jest/globals';
import { Failure } from '../../src/ports/index.ts';
import { SettingsProblem } from '../../src/toolkit/problems.ts';

/** As in another copy of the package, which the modules of an adapter may import. */
const copies = {
  Failure: Object.assign(new Error('no such patient'), { name: 'Failure', kind: 'not_found' }),
  SettingsProblem: Object.assign(new Error('not there'), { name: 'SettingsProblem', setting: 'url', problems: [] }),
};

test('a Failure of another copy of the class is one, and another error is none', () => {
  expect(copies.Failure).toBeInstanceOf(Failure);
  expect(new Failure('not_found', 'x')).toBeInstanceOf(Failure);
  for (const other of [new Error('x'), copies.SettingsProblem, { name: 'Failure', kind: 'x' }, undefined]) {
    expect(other).not.toBeInstanceOf(Failure);
  }
});

test('a SettingsProblem of another copy of the class is one, and another error is none', () => {
  expect(copies.SettingsProblem).toBeInstanceOf(SettingsProblem);
  expect(copies.Failure).not.toBeInstanceOf(SettingsProblem);
});
