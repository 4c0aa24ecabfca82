/** Native ES modules and TypeScript by swc; see docs/decisions for why the tests need no build. */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
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
  setupFiles: ['reflect-metadata'],
  maxWorkers: 2,
  testTimeout: 30_000,
};
