// Writes the totals of a jest run to the file named by CER_TEST_TOTALS, for .ci/run's last line.
import { writeFileSync } from 'node:fs';

export default class TotalsReporter {
  onRunComplete(_contexts, results) {
    const file = process.env.CER_TEST_TOTALS;
    if (!file) return;
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    writeFileSync(file, JSON.stringify({ passed: results.numPassedTests, failed, skipped: results.numPendingTests }));
  }
}
