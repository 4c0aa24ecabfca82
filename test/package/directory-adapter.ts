/** The file of the locations that the adapter reads. */
export const places = [
  { id: 'central', name: 'Sede Central', address: { street: 'Av. Rivadavia', number: '100', city: 'Buenos Aires' } },
  { id: 'norte', name: 'Sede Norte', address: { street: 'Av. Cabildo', number: '200', city: 'Buenos Aires' } },
];

/** The files of an adapter in JavaScript, by name. */
export const inJavaScript = {
  'package.json': '{ "name": "@hospital/directory", "type": "module", "exports": "./index.js" }',
  'index.js': `import { readFileSync } from 'node:fs';
import { adapter, Failure, z } from 'puente/adapter';

export default adapter({
  settings: z.object({ file: z.string().meta({ file: true }) }),
  offer: ({ file }) => ({
    directory: {
      async locations({ signal }) {
        if (signal.aborted) throw new Failure('timeout', 'too late');
        return JSON.parse(readFileSync(file, 'utf8'));
      },
    },
    patients: {
      async get() {
        throw new Failure('not_found', 'there is no such patient');
      },
    },
  }),
});
`,
  'index.test.js': `import test from 'node:test';
import { createPortsSubject, describeContract } from 'puente/contract';
import adapter from './index.js';

const institution = { timeZone: 'America/Argentina/Buenos_Aires', locale: 'es-AR', bookingHorizonDays: 60 };
const fixtures = { ...institution, locations: { first: 'central', another: 'norte' }, unknown: 'nobody' };
const { directory } = await adapter.offer({ file: '../../../places.json' }, institution, {});
await describeContract(test, () => createPortsSubject({ ports: { directory }, fixtures }));
`,
};
