import all from './jest.config.js';

/** What `npm test` runs: all but the files whose name says that one waits for them; see docs/decisions/0082. */
export default { ...all, testPathIgnorePatterns: ['/node_modules/', '\\.slow\\.test\\.ts$'] };
