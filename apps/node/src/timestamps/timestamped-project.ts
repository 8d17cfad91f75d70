import { digestOf, stampedText } from '@cer/cer-core';
import { parseStored } from '../records/stored-cer.js';
import type { StampedProject, StampStore, UnstampedProject } from '../store/index.js';
import type { StampSource } from './timestamp-source.js';

/** Registered projects: the receipt of each is stamped. @see docs/spec.md, "External timestamps" */
export function projectSource(stamps: StampStore): StampSource<UnstampedProject, StampedProject> {
  return {
    unstamped: (after, limit) => stamps.unstampedProjects(after, limit),
    digestsOf: (project) => [receiptDigest(project)],
    withStamps: (project, made) => {
      const entries = made.entriesOf(receiptDigest(project));
      return entries === null ? null : { seq: project.seq, timestampsJson: JSON.stringify(entries) };
    },
    keep: (stamped) => stamps.keepOfProjects(stamped),
    hashOf: ({ projectHash }) => projectHash,
  };
}

function receiptDigest({ receiptJson, signature }: UnstampedProject): Uint8Array {
  return digestOf(stampedText(parseStored(receiptJson), signature));
}
