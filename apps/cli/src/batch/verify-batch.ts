import { EXIT, weightiest, type ExitCode } from '../exit-code.js';
import type { Io } from '../io.js';
import type { BatchCall, BatchSettings } from './batch-settings.js';
import { BatchReport } from './batch-report.js';
import { chunksOf, measure } from './items.js';
import { ProgressBar } from './progress-bar.js';
import { verifyInOrder } from './verify-in-order.js';

/**
 * Verifies many certificates on all cores, in order; one line each and a summary on stdout.
 * @returns the weightiest exit code of all; without any certificate that of a wrong call
 */
export async function verifyBatch(call: BatchCall, io: Io): Promise<ExitCode> {
  const settings: BatchSettings = {
    keyDocument: call.keys.material?.document ?? null,
    revocationsKnownUntil: call.keys.material?.voucher?.revocationsKnownUntil ?? null,
    tsaRootsPem: call.tsaRootsPem,
    logPolicyText: call.logPolicyText,
    requireLog: call.requireLog,
    nodeId: call.nodeId,
    requireAttestation: call.requireAttestation,
    maxBytes: call.maxBytes,
    verifiedAt: io.now().toISOString(),
  };
  const report = new BatchReport(call, io);
  const bar = new ProgressBar(io.stderr, io.stderr.isTerminal ? await measure(call.sources) : null, io.now);
  const codes = new Set<ExitCode>();
  for await (const { results, progress } of verifyInOrder(chunksOf(call.sources, io.stdin, call.maxBytes), settings)) {
    bar.clear();
    for (const result of results) {
      codes.add(result.exitCode);
      report.add(result);
    }
    bar.advance(progress, results.length);
  }
  bar.clear();
  const exitCode = weightiest(codes);
  report.finish(exitCode === EXIT.failed);
  if (report.total === 0) {
    // An empty list, as of a download that failed, must not pass for a verified one.
    io.stderr.write('cer: no certificate was given, so none was verified\n');
    return EXIT.usage;
  }
  if (exitCode === EXIT.usage) io.stderr.write(`cer: ${report.unreadable} of ${report.total} could not be read\n`);
  return exitCode;
}
