import { counted } from '@cer/cer-core/wording';
import type { AuditPackageManifest } from '@cer/cer-core/logs';

type Facts = Pick<AuditPackageManifest, 'nodeId' | 'kid' | 'tenantId' | 'query' | 'asOf' | 'signedAt' | 'count'>;

/** The summary in plain text. Query values are quoted as JSON, so that they cannot break lines. */
export function readme({ nodeId, kid, tenantId, query, asOf, signedAt, count }: Facts): string {
  const { attestedFrom, attestedTo, appId, bundleType, status, ...others } = query;
  const asked = [
    `first attested:  ${attestedFrom ?? 'from the beginning'} up to ${attestedTo === null ? 'now' : `(not including) ${attestedTo}`}`,
    `application:     ${appId === null ? 'any' : JSON.stringify(appId)}`,
    `kind of record:  ${bundleType ?? 'any'}`,
    `status:          ${status ?? 'visible and hidden'}`,
    ...Object.entries(others).map(([name, value]) => `${`${name}:`.padEnd(17)}${JSON.stringify(value)}`),
  ];
  return `AUDIT PACKAGE

This package holds ${counted(count, 'certified execution record')} of one account (${JSON.stringify(tenantId)}),
written by the node "${nodeId}".

What was asked for
${asked.map((row) => `  ${row}`).join('\n')}

How complete it is
  Every record that the node held at ${asOf} and that fits what was asked for is in this
  package. Records that were deleted are not part of it: deleting removes their content for good.
  The file manifest.json lists every file with its size and SHA-256, and the number of records. The node signed
  that list at ${signedAt} (key ${kid}). So nothing can be taken out, added or changed without notice.

What is in it
  certificates/NNNNNN.ndjson   the certificates, one on each line, oldest first
  receipts/NNNNNN.ndjson       for each of them, in the same order: what the node signed, and whether it is public
  timestamps/NNNNNN.ndjson     timestamps of independent timestamping authorities, if any
  coverage.json                per day and application: certificates, refusals, and what producers counted themselves;
                               left out where it would have more than 64 MiB
  keys.json                    the public keys of the node at that time, for reference only
  key-history.json             every change of these keys so far, where the node keeps such a history
  manifest.json, manifest.sig  the list of all files, and the node's signature over it

How to check it
  cer verify-package FILE.zip --keys https://ADDRESS-OF-THE-NODE
  Take the keys from the node, or from a source you trust, never from this package: an author who could forge the
  package could also have put other keys into it.

What it proves
  That the node signed exactly these records, when (by its own clock), and that these are all it held for this question.
What it does not prove
  That the outputs of the described executions are correct, fair or lawful; that names and times which the producer
  states are true; that executions took place that were never sent to the node.
`;
}
