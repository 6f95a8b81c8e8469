const { writeFileSync } = require('node:fs')

/**
 * A jest reporter that writes how many tests passed and failed, as JSON, to the file that
 * `COFFER_TEST_COUNTS` names. Jest's own JSON report holds the errors too, and fails where one of
 * them refers to itself, as those of Connect do.
 */
module.exports = class CountReporter {
  onRunComplete(_contexts, results) {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = results
    const counts = { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites }
    writeFileSync(process.env.COFFER_TEST_COUNTS, JSON.stringify(counts))
  }
}
