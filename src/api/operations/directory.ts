import { z } from 'zod';
import type { DirectoryEntry } from '../../ports/index.ts';
import { operation } from '../operation.ts';
import { id } from '../scalars.ts';
import { address, toAddressBody } from './address.ts';

const phone = z
  .object({ type: z.string().meta({ description: '`phone` or `cell-phone`.' }), value: z.string() })
  .meta({ id: 'Phone' });

const entryBody = z
  .object({
    location: z
      .object({
        id,
        name: z.string(),
        latitude: z.string().meta({ description: 'Decimal degrees (WGS 84). Empty if unknown.' }),
        longitude: z.string().meta({ description: 'Decimal degrees (WGS 84). Empty if unknown.' }),
        address: z.string().meta({ description: 'The full address in one line.' }),
        zip_code: z.string(),
        email: z.string(),
        phone: z.array(phone),
      })
      .meta({ id: 'DirectoryLocation' }),
    provider: z.array(
      z
        .object({
          id: z.string().meta({ description: 'Empty if the institution’s system has only the name.' }),
          name: z.string(),
          description: z.string(),
          type: z.enum(['pharmacy', 'practitioner', 'clinic']).meta({ id: 'ProviderType' }),
          email: z.string(),
          phone: z.array(phone),
          service: z.array(z.object({ id, name: z.string(), description: z.string() })),
        })
        .meta({ id: 'DirectoryProvider' }),
    ),
  })
  .meta({ id: 'DirectoryEntry' });

const toEntryBody = ({ location, providers }: DirectoryEntry): z.input<typeof entryBody> => {
  const { zipCode, phones, ...place } = location;
  return {
    location: { ...place, zip_code: zipCode, phone: [...phones] },
    provider: providers.map(({ phones, services, ...provider }) => ({
      ...provider,
      phone: [...phones],
      service: [...services],
    })),
  };
};

export const getMedicalDirectory = operation({
  name: 'getMedicalDirectory',
  route: 'GET /api/medical-directory',
  summary: 'Get the medical directory: locations and their providers',
  scope: 'directory:read',
  uses: ['directory.entries'],
  example: {},
  returns: [200, z.array(entryBody)],
  handle: async (directory, _input, call) => (await directory.entries(call)).map(toEntryBody),
});

export const listLocations = operation({
  name: 'listLocations',
  route: 'GET /location/',
  summary: 'List the institution’s locations',
  scope: 'directory:read',
  uses: ['directory.locations'],
  example: {},
  returns: [
    200,
    z.object({ locations: z.array(z.object({ id, name: z.string(), address }).meta({ id: 'Location' })) }),
  ],
  handle: async (directory, _input, call) => {
    const locations = await directory.locations(call);
    return { locations: locations.map(({ id, name, address }) => ({ id, name, address: toAddressBody(address) })) };
  },
});
