import { z } from 'zod';
import type { Call, Insurance } from '../../ports/index.ts';
import { omitUndefined } from '../../ports/omit-undefined.ts';
import { operation } from '../operation.ts';
import { id, sortDirection } from '../scalars.ts';
import { pageAddition, pageBody, pageQuery, paginate } from './page.ts';
import { includesText, search } from './search.ts';

const carrierRow = z.object({ id, name: z.string() }).meta({ id: 'InsuranceCarrier' });

const query = z.object({
  search,
  ...pageQuery,
  sortProperty: z.enum(['name', 'id']).meta({ id: 'CarrierSortProperty' }).default('name'),
  sortDirection: sortDirection.default('ASC'),
});

const additions = [
  pageAddition,
  '`sortProperty` is `name` (default) or `id`; `sortDirection` is `ASC` (default) or `DESC`. Inactive carriers are left out.',
];

const byOwner = query.extend({
  ownerId: id.meta({ description: 'Only carriers that have a contract with this institution.' }).optional(),
});

const byId = new Intl.Collator('en', { numeric: true });

async function listCarriersPage(insurance: Pick<Insurance, 'carriers'>, request: z.output<typeof byOwner>, call: Call) {
  const { sortProperty, sortDirection } = request;
  const carriers = await insurance.carriers(omitUndefined({ ownerId: request.ownerId }), call);
  const rows = carriers
    .filter(({ active, name }) => active && includesText(name, request.search))
    .map(({ id, name }) => ({ id, name }));
  if (sortProperty === 'id') rows.sort((a, b) => byId.compare(a.id, b.id));
  return paginate(sortDirection === 'ASC' ? rows : rows.toReversed(), request);
}

export const getInsuranceCarriers = operation({
  name: 'getInsuranceCarriers',
  route: 'GET /v1/insurance-carriers',
  summary: 'List insurance carriers (paged)',
  additions,
  scope: 'insurance:read',
  uses: ['insurance.carriers'],
  query,
  example: { query: { search: 'os', page: '0', limit: '10', sortProperty: 'name', sortDirection: 'ASC' } },
  returns: [200, pageBody(carrierRow)],
  listedStatuses: true,
  handle: (insurance, { query }, call) => listCarriersPage(insurance, query, call),
});

export const getInsuranceCarriersByOwner = operation({
  name: 'getInsuranceCarriersByOwner',
  route: 'GET /v1/insurance-carriers/by-owner',
  summary: 'List insurance carriers by institution (paged)',
  additions: [
    ...additions,
    '`ownerId` is the id of the institution that has a contract with the carriers; without it, all carriers are listed. A carrier is no such institution: 422.',
  ],
  scope: 'insurance:read',
  uses: ['insurance.carriers'],
  query: byOwner,
  example: { query: { ownerId: 'sanatorio-del-puente' } },
  returns: [200, pageBody(carrierRow)],
  places: { ownerId: 'query /ownerId' },
  listedStatuses: true,
  handle: (insurance, { query }, call) => listCarriersPage(insurance, query, call),
});
