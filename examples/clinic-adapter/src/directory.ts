import { type Directory, type Location, throwIfAborted, z } from 'puente/adapter';
import { createAddress } from './address.ts';
import type { Clinic } from './clinic.ts';
import { key, parseKey, text } from './columns.ts';
import { type Mapping, readRows } from './rows.ts';

const location: Mapping<Location> = {
  table: 'sedes',
  key: 'cod_sede',
  schema: z
    .object({ cod_sede: key, nombre: text, calle: text, nro: text, localidad: text, provincia: text, cp: text })
    .transform(({ cod_sede, nombre, ...row }) => ({ id: cod_sede, name: nombre, address: createAddress(row) })),
};

/** The clinic has no directory of others, so `entries` is not offered. */
export const createDirectory = (clinic: Clinic): Pick<Directory, 'locations'> => ({
  locations: async (call) => {
    throwIfAborted(call);
    return readRows(location, clinic.all(`SELECT * FROM sedes WHERE baja = 'N' ORDER BY cod_sede`), call);
  },
});

export const hasLocation = (clinic: Clinic, id: string): boolean =>
  clinic.get(`SELECT 1 FROM sedes WHERE cod_sede = :id AND baja = 'N'`, { id: parseKey(id) }) !== undefined;
