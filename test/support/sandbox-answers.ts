import { createPorts } from '../../adapters/memory/index.ts';
import { loadWorld } from '../../adapters/memory/load-world.ts';
import { findBundledWorld, readWorld } from '../../adapters/memory/world-file.ts';
import { buildExample, getPortName, operations, perform } from '../../src/api/index.ts';
import { referenceDay } from '../../src/api/openapi.ts';

/** The most rows of a list that an example shows; pages are whole, since they say how many rows they have. */
const MAX_ROWS = 2;

/**
 * What a fresh sandbox hospital answers to the example of every operation on the reference day of the published
 * document, by the operation's name. Without the answers that are `{}`, with short lists and one and the same new id.
 */
export async function collectSandboxAnswers(): Promise<Record<string, unknown>> {
  const file = readWorld(findBundledWorld());
  const institution = { timeZone: 'America/Argentina/Buenos_Aires', locale: 'es-AR', bookingHorizonDays: 60 };
  const now = referenceDay.toISOString();
  const answers: Record<string, unknown> = {};
  for (const operation of operations) {
    const ports = createPorts(loadWorld(file, institution, now));
    const { params = {}, query = {}, body } = buildExample(operation, referenceDay);
    const { signal } = new AbortController();
    const call = { requestId: 'answers', client: 'answers', now, signal, omit: () => undefined };
    const answer = (await perform(operation, ports[getPortName(operation)], { params, query, body }, call)).body;
    if (JSON.stringify(answer) !== '{}') answers[operation.name] = shorten(answer);
  }
  const newId = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
  return JSON.parse(JSON.stringify(answers).replace(newId, '7d9f2c4e-51b0-4c8a-9a3e-2f6b8d1c0e57')) as typeof answers;
}

function shorten(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, MAX_ROWS).map(shorten);
  if (typeof value !== 'object' || value === null || 'pagination' in value) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shorten(inner)]));
}
