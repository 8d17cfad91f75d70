// Writes the totals of a jest run to the file named by CER_TEST_TOTALS, for .ci/run's last line.
import { writeFileSync } from 'node:fs';

export default class TotalsReporter {
  onRunComplete(_contexts, results) {
    const file = process.env.CER_TEST_TOTALS;
    if (!file) return;
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const failedSuites = results.testResults
      .filter(({ numFailingTests, testExecError }) => numFailingTests > 0 || Boolean(testExecError))
      .map(({ testFilePath, numPassingTests }) => ({ path: testFilePath, passed: numPassingTests }));
    const skipped = results.numPendingTests + results.numTodoTests;
    const suites = results.testResults.map(({ testFilePath }) => testFilePath);
    const totals = { passed: results.numPassedTests, failed, skipped, failedSuites, suites };
    writeFileSync(file, JSON.stringify(totals));
  }
}
