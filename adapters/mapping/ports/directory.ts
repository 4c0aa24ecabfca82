import type { Directory } from '../../../src/ports/index.ts';
import { omitUndefined } from '../../../src/ports/omit-undefined.ts';
import type { Hospital } from './hospital.ts';

export const createDirectory = (hospital: Hospital): Directory => ({
  locations: async (call) =>
    (await hospital.find('locations', 'all', {}, call)).map((each) => ({
      ...each,
      address: omitUndefined(each.address),
    })),

  entries: async (call) => hospital.find('entries', 'all', {}, call),
});
