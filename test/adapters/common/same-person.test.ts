import { expect, test } from '@jest/globals';
import { type DocumentHolder, pickSamePerson } from '../../../adapters/common/same-person.ts';

const person = { birthDate: '1985-11-30', gender: 'Female' } as const;
const full: DocumentHolder = { birthDate: '1985-11-30', gender: 'Female' };
const unknown: DocumentHolder = { birthDate: '', gender: undefined };

test.each<[string, readonly DocumentHolder[], DocumentHolder | undefined]>([
  ['who matches in full rather than in part', [unknown, { ...full, gender: undefined }, full], full],
  [
    'whose birth date is known better',
    [
      { ...full, birthDate: '1985' },
      { ...full, gender: undefined },
    ],
    { ...full, gender: undefined },
  ],
  ['of whom nothing is known', [unknown], unknown],
  ['if none has the known year', [{ birthDate: '1984', gender: undefined }], undefined],
  ['if none has the gender', [{ ...full, gender: 'Other' }], undefined],
])('a registration is of the holder %s', (_, holders, same) => {
  expect(pickSamePerson(holders, person, (holder) => holder)).toEqual(same);
});
