import all from './jest.config.js';

/**
 * What `npm test` runs: all but the files whose name says that one waits for them; see
 * docs/explanation/decisions/testing.md#npm-test-is-what-takes-no-waiting.
 */
export default {
  ...all,
  testPathIgnorePatterns: ['/node_modules/', '\\.slow\\.test\\.ts$'],
  // Two for each core of the smallest machine: no process of another program is started here, and many tests wait.
  maxWorkers: 4,
};
