/** Node 24 runs the TypeScript as it is, without a transform (test/native-runtime.ts). */
export default {
  testEnvironment: 'node',
  runtime: '<rootDir>/test/native-runtime.ts',
  setupFilesAfterEnv: ['<rootDir>/test/seed.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/.coffer/'],
  modulePathIgnorePatterns: ['/.coffer/'],
  maxWorkers: 2,
  // A worker that has grown is replaced.
  workerIdleMemoryLimit: '1500MB',
  // Ends a test that hangs; what is slow on a busy machine is not wrong.
  testTimeout: 240_000,
}
