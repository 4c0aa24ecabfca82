import all from './jest.config.js';

/**
 * What `npm test` runs: all but the files whose name says that one waits for them, with modules that a worker loads once; see
 * docs/explanation/decisions/testing.md#npm-test-runs-the-fast-tests.
 */
export default {
  roots: all.roots,
  testMatch: all.testMatch,
  testPathIgnorePatterns: ['/node_modules/', '\\.slow\\.test\\.ts$'],
  testEnvironment: '<rootDir>/test/support/shared-context/environment.js',
  runtime: '<rootDir>/test/support/shared-context/runtime.js',
  injectGlobals: false,
  transform: {},
  setupFiles: ['reflect-metadata'],
  // Two for each core of the smallest machine: no process of another program is started here, and many tests wait.
  maxWorkers: 4,
  testTimeout: all.testTimeout,
};
