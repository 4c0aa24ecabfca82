import type { Identifier, IdentifierType } from '../../../src/ports/index.ts';
import { type PortFault, type Ports, replace } from './port-fault.ts';

/** The ports, with the number of each document changed before it is written. */
const writeAs = ({ patients }: Ports, change: (identifier: Identifier) => string, search = change): Partial<Ports> => ({
  patients: replace(patients, {
    register: ({ identifier, ...person }, call) => {
      const value = change(identifier);
      return patients.register({ ...person, identifier: { ...identifier, value } }, call);
    },
    search: ({ identifier, ...criteria }, call) => {
      const { identifierType: type = 'Passport' } = criteria;
      const value = identifier === undefined ? identifier : search({ type, value: identifier });
      return patients.search({ ...criteria, ...(value !== undefined && { identifier: value }) }, call);
    },
  }),
});

const asNumber =
  (ofTypes: readonly IdentifierType[]) =>
  ({ type, value }: Identifier): string =>
    ofTypes.includes(type) && /^\d+$/.test(value) ? String(Number(value)) : value;

/** A search whose query is joined by hand, as the system reads it. */
const joinByHand =
  (marks: RegExp) =>
  ({ type, value }: Identifier): string => {
    const query = value.replaceAll(marks, (mark) => encodeURIComponent(mark));
    const url = new URL(`http://system/people?kind=${type}&number=${query}`);
    return url.searchParams.get('number') ?? '';
  };

const unchanged = ({ value }: Identifier): string => value;

const caught = {
  caughtBy: 'ports.patients.register.documents',
  named: /keeps the number of a document with every digit and mark, or refuses it/,
};

/** Numbers of documents that are changed, or read as a part of a request. */
export const documentFaults: readonly PortFault[] = [
  { name: 'a long DNI as a float', plant: (ports) => writeAs(ports, asNumber(['DNI'])), ...caught },
  { name: 'a passport of digits as a number', plant: (ports) => writeAs(ports, asNumber(['Passport'])), ...caught },
  {
    name: 'a DNI in 32 bits',
    plant: (ports) =>
      writeAs(ports, ({ type, value }) => (type === 'DNI' ? String(Number(value) % 2 ** 32) : value), unchanged),
    ...caught,
  },
  {
    name: 'a passport with its marks left out',
    plant: (ports) => writeAs(ports, ({ value }) => value.replaceAll(/[^\p{L}\p{N}]/gu, '')),
    ...caught,
  },
  ...Object.entries({
    '&': /[^&]/g,
    '+': /[^+]/g,
    '#': /[^#]/g,
    'a percent sign': /[^%]/g,
  }).map(([mark, others]) => ({
    name: `a search by a document in which ${mark} is not escaped`,
    plant: (ports: Ports) => writeAs(ports, unchanged, joinByHand(others)),
    ...caught,
  })),
];
