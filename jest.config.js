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
  // More than cores: tests wait for servers half of the time. A whole run has one more worker, of
  // tests that wait even longer (test/runner.ts). Long tests start many processes and browsers.
  maxWorkers: isLong ? 2 : 3,
  // Restarts a worker process whose heap is larger than this after a test file.
  workerIdleMemoryLimit: '1500MB',
  // Time for a worker process to exit, in ms. Its memory of 600 MB takes the system up to 3 s to
  // free on a busy machine; after 500 ms, the default, jest reports open handles that do not exist.
  workerGracefulExitTimeout: 20_000,
  // Ends a test that hangs, after this many ms; a busy machine runs tests slowly.
  testTimeout: 240_000,
}
