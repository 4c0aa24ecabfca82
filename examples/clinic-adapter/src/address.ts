import { type Address, toCountryName } from 'puente/adapter';

/** The columns of an address, and what they are called in the ports. */
const parts = {
  calle: 'street',
  nro: 'number',
  piso: 'floor',
  depto: 'apartment',
  localidad: 'city',
  provincia: 'state',
  pais: 'country',
  cp: 'zipCode',
} as const satisfies Readonly<Record<string, keyof Address>>;

type Columns = { readonly [C in keyof typeof parts]?: string };
const columns = Object.entries(parts);

/** The address in these columns, without the parts that are empty. */
export const createAddress = (row: Columns): Address => {
  const known = new Map(Object.entries(row));
  const entries = columns.map(([column, part]) => [part, known.get(column)] as const);
  return Object.fromEntries(
    entries.flatMap(([part, value]) => (value ? [[part, part === 'country' ? toCountryName(value) : value]] : [])),
  );
};

/** The address as values of all its columns. */
export const toColumns = (address: Address): Record<string, string | null> =>
  Object.fromEntries(columns.map(([column, part]) => [column, address[part] ?? null]));
