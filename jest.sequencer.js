import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import Sequencer from '@jest/test-sequencer';

/** The files of tests that take longest, the longest first. Several are small, and jest guesses by size. */
const longest = [
  'test/contract/fhir-beside-others.slow.test.ts',
  'test/contract/fhir-http.slow.test.ts',
  'test/http/drain.slow.test.ts',
  'test/http/resilience/fuzz.slow.test.ts',
  'test/contract/fhir-ports.test.ts',
  'test/adapters/fhir/resilience/write-outcomes.test.ts',
  'test/cli/serve.slow.test.ts',
  'test/contract/memory-http.test.ts',
  'test/cli/index.slow.test.ts',
];

/** Starts them first, so that no worker is left alone with one of them: jest puts those last that it has measured. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const missing = longest.filter((file) => !existsSync(file));
    if (missing.length > 0) throw new Error(`jest.sequencer.js names files that are not there: ${missing}`);
    const sorted = super.sort(tests);
    const places = new Map(longest.map((file, place) => [file, place]));
    const findPlace = ({ path, context }) => places.get(relative(context.config.rootDir, path)) ?? longest.length;
    return sorted.toSorted((a, b) => findPlace(a) - findPlace(b));
  }
}
