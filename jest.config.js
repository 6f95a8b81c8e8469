/** Node 24 runs the TypeScript as it is; jest only strips the types (test/strip-types.cjs). */
export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/strip-types.cjs' },
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/.coffer/'],
  modulePathIgnorePatterns: ['/.coffer/'],
  maxWorkers: 2,
  testTimeout: 30_000,
}
