// Files *.long.test.ts need tools or much time: only `npm run test:long` runs them, with a seed.
const isLong = process.env.COFFER_TEST_SEED !== undefined

// The path of the browser, if there is one (deploy/local/src/browser.ts).
const hasBrowser = Boolean(process.env.COFFER_TEST_BROWSER)

/** Node 24 runs the TypeScript as it is, without a transform (test/native-runtime.ts). */
export default {
  testEnvironment: 'node',
  runtime: '<rootDir>/test/native-runtime.ts',
  runner: '<rootDir>/test/runner.ts',
  testSequencer: '<rootDir>/test/sequencer.ts',
  setupFilesAfterEnv: ['<rootDir>/test/seed.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '/.coffer/',
    ...(hasBrowser ? [] : ['/test/browser/']),
    ...(isLong ? [] : ['\\.long\\.test\\.ts$']),
  ],
  modulePathIgnorePatterns: ['/.coffer/'],
  // As many as cores: a third worker brought nothing (360 s for a whole run, 348 s with two). One
  // more worker takes the tests that mostly wait (test/runner.ts).
  maxWorkers: 2,
  // Restarts a worker process whose heap is larger than this after a test file.
  workerIdleMemoryLimit: '1500MB',
  // Time for a worker process to exit, in ms. Its memory of 600 MB takes the system up to 3 s to
  // free on a busy machine; after 500 ms, the default, jest reports open handles that do not exist.
  workerGracefulExitTimeout: 20_000,
  // Ends a test that hangs, after this many ms; a busy machine runs tests slowly.
  testTimeout: 240_000,
}
