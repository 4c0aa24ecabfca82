import { createMapper } from '../../../adapters/mapping/fields/mapper.ts';
import { loadMapping } from '../../../adapters/mapping/file/load.ts';
import { Zone } from '../../../src/toolkit/zone.ts';

/** Prints how long it takes to map 1,000 slots, in milliseconds of this thread: the first time, and the median of 200. */
const mapper = createMapper(
  loadMapping('test/support/mapping/hospital.yaml'),
  new Zone('America/Argentina/Buenos_Aires'),
);
const slots = Array.from({ length: 1_000 }, (_, i) => ({
  ...{ CLAVE: `1-${i}`, AGENDA: '1', FECHA: '01/12/2026', HORA: '08:20', DURACION: '20' },
  ...{ PRESTACION: '7', MATRICULA: '123', SEDE: '1', VIDEO: 'N', ESTADO: 'L' },
}));

const times = Array.from({ length: 200 }, () => {
  const before = process.threadCpuUsage();
  if (mapper.read('slots', slots, { omit: () => {} }).length !== slots.length) throw new Error('slots were left out');
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
});
const [median = 0] = times.toSorted((a, b) => a - b).slice(times.length / 2);
process.stdout.write(`1,000 slots: first ${times[0]?.toFixed(1)} ms, median ${median.toFixed(1)} ms\n`);
