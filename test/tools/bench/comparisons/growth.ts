import type { Requests } from '../load/load.ts';
import { startServer } from '../processes.ts';
import type { ComposedOptions } from '../servers/composed.ts';
import { type Comparison, formatRequest, type Variant } from '../variant.ts';

/** A thousand patients and a million, asked for at random, so that no cache flatters the larger hospital. */
export async function compareGrowth(token: string): Promise<Comparison[]> {
  const sizes = [1_000, 1_000_000];
  const servers = await Promise.all(
    sizes.map((patients) => startServer('composed.ts', JSON.stringify({ token, patients } satisfies ComposedOptions))),
  );
  const toVariants = (toPath: (i: number) => string): Variant[] =>
    servers.map((server, turn) => ({
      name: `${sizes[turn]?.toLocaleString('en')} patients`,
      own: true,
      server,
      requests: drawReads(toPath, sizes[turn] ?? 0, token),
    }));
  const load = { connections: 16 };
  return [
    { id: 'growth-read', title: 'Read of any patient', load, variants: toVariants((i) => `/patients/patient-${i}`) },
    {
      id: 'growth-search',
      title: 'Search of any patient by identifier',
      load,
      variants: toVariants((i) => `/patients/search?identifier_type=DNI&identifier=${10_000_000 + i}`),
    },
  ];
}

/** Reads of 5,000 patients drawn from the whole hospital, over and over. */
function drawReads(toPath: (i: number) => string, size: number, token: string): Requests {
  const drawn = Array.from({ length: 5_000 }, () =>
    Buffer.from(formatRequest(['GET', toPath(Math.floor(Math.random() * size))], token)),
  );
  let turn = 0;
  return { next: () => drawn[turn++ % drawn.length] ?? '', status: 200 };
}
