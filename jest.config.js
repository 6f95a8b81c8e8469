// Files *.long.test.ts need tools or much time: only `npm run test:long` runs them, with a seed.
const isLong = process.env.COFFER_TEST_SEED !== undefined

/** Node 24 runs the TypeScript as it is, without a transform (test/native-runtime.ts). */
export default {
  testEnvironment: 'node',
  runtime: '<rootDir>/test/native-runtime.ts',
  testSequencer: '<rootDir>/test/sequencer.ts',
  setupFilesAfterEnv: ['<rootDir>/test/seed.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '/.coffer/',
    ...(isLong ? [] : ['\\.long\\.test\\.ts$']),
  ],
  modulePathIgnorePatterns: ['/.coffer/'],
  maxWorkers: 2,
  // Restarts a worker process that uses more memory than this after a test file. On a busy machine
  // the exit of one with 570 MB takes 0.3 to 0.5 s. Jest waits 0.5 s, then prints that the worker
  // "failed to exit gracefully": measured, without any open handle.
  workerIdleMemoryLimit: '1500MB',
  // Ends a test that hangs, after this many ms; a busy machine runs tests slowly.
  testTimeout: 240_000,
}
