import { join } from 'node:path';
import base from '../../jest.config.js';

/** The tests as they are, but with the positions of the sources and one after another. */
export default {
  ...base,
  rootDir: join(import.meta.dirname, '../..'),
  transform: { '^.+\\.ts$': '<rootDir>/test/mutate/stripped-types.js' },
  coverageProvider: 'v8',
  coverageReporters: [],
  coveragePathIgnorePatterns: ['/node_modules/', '<rootDir>/examples/'],
  maxWorkers: 1,
};
