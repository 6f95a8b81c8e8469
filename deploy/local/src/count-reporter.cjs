const { writeFileSync } = require('node:fs')

/**
 * A jest reporter that writes the numbers of passed and failed tests as JSON to the file that
 * `COFFER_TEST_COUNTS` names. Jest's own JSON report fails on errors with circular references,
 * which Connect throws.
 */
module.exports = class CountReporter {
  onRunComplete(_contexts, results) {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = results
    const counts = { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites }
    writeFileSync(process.env.COFFER_TEST_COUNTS, JSON.stringify(counts))
  }
}
