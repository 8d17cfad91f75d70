import { timestampDigest, timestampedText } from '@cer/cer-core/attest';
import { parseStored } from '../records/stored-cer.js';
import type { TimestampedProject, TimestampStore, UntimestampedProject } from '../store/index.js';
import type { TimestampSource } from './timestamp-source.js';

/** The receipts of registered projects. @see docs/spec.md, "External timestamps" */
export function projectSource(timestamps: TimestampStore): TimestampSource<UntimestampedProject, TimestampedProject> {
  return {
    untimestamped: (after, limit) => timestamps.untimestampedProjects(after, limit),
    digestsOf: (project) => [receiptDigest(project)],
    withTimestamps: (project, made) => {
      const entries = made.entriesOf(receiptDigest(project));
      return entries === null ? null : { seq: project.seq, timestampsJson: JSON.stringify(entries) };
    },
    keep: (timestamped) => timestamps.keepOfProjects(timestamped),
    hashOf: ({ projectHash }) => projectHash,
  };
}

function receiptDigest({ receiptJson, signature }: UntimestampedProject): Uint8Array {
  return timestampDigest(timestampedText(parseStored(receiptJson), signature));
}
