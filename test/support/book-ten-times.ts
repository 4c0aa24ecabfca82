// Books one slot ten times at once for one patient, in a process of its own, and prints what became of each.
import { mapping } from '../../adapters/mapping/index.ts';
import { institution } from '../../examples/clinic-adapter/test/fixtures.ts';
import { type Booking, type Call, Failure } from '../../src/ports/index.ts';

const [file, booking = ''] = process.argv.slice(2);
const { appointments, close } = await mapping.offer(mapping.settings.parse({ file }), institution, {});
const call: Call = {
  requestId: 'test',
  client: 'test',
  now: new Date().toISOString(),
  signal: new AbortController().signal,
  omit: () => undefined,
};
const book = async () => {
  try {
    await appointments!.book!('1002', JSON.parse(booking) as Booking, call);
    return 'made';
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.code ?? error.kind;
  }
};
process.stdout.write(JSON.stringify(await Promise.all(Array.from({ length: 10 }, book))));
await close?.();
