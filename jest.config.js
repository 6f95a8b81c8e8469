/** Node 24 runs the TypeScript as it is; jest only strips the types (test/strip-types.cjs). */
export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/strip-types.cjs' },
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/.coffer/'],
  modulePathIgnorePatterns: ['/.coffer/'],
  maxWorkers: 2,
  // Modules of a test file outlive it; a worker that has grown is replaced.
  workerIdleMemoryLimit: '1500MB',
  // Ends a test that hangs; what is slow on a busy machine is not wrong.
  testTimeout: 240_000,
}
