// The vectors of the transparency log: trees, leaves, maps of tenants and whole proofs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { editedProofs } from './edited-proofs.mjs';
import { forgedProofs } from './forged-proofs.mjs';
import { policyTexts } from './policies.mjs';

const FOLDER = join(import.meta.dirname, '..', '..', 'packages', 'tlog', 'vectors');
const LOG = 'Transparency log';

export function logCases() {
  const [tree, leaves, completeness, proofVectors, keys] = ['tree', 'leaves', 'completeness', 'proofs', 'keys'].map(
    (name) => JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')),
  );
  const { mmdSeconds, proofs } = proofVectors;
  const policy = readFileSync(join(FOLDER, 'policy.txt'), 'utf8');
  return [
    ...tree.inclusion.map((row) =>
      logCase(`inclusion/${row.leafIndex}-of-${row.treeSize}`, 'Inclusion proofs of RFC 6962.', {
        file: { kind: 'inclusion', ...row },
        expected: { valid: true },
      }),
    ),
    ...tree.consistency.map((row) =>
      logCase(`consistency/${row.size1}-to-${row.size2}`, 'Consistency proofs of RFC 6962.', {
        file: { kind: 'consistency', ...row },
        expected: { valid: true },
      }),
    ),
    ...tree.mustFail.map(({ why, ...file }, index) =>
      logCase(`${file.kind}/${index + 1}_fail`, why, { file, expected: { valid: false } }),
    ),
    ...leaves.map(({ index, tenantId, seed, receipt, signature, label, ...row }) =>
      logCase(`leaf/${index}`, 'The leaf of a receipt commits to receipt and tenant.', {
        file: { kind: 'leaf', nodeId: completeness.nodeId, tenantId, seed, receipt, signature, label },
        expected: {
          tenant: label.tenant,
          receiptDigest: row.receiptDigest,
          receiptCommitment: row.receiptCommitment,
          tenantCommitment: row.tenantCommitment,
          entry: row.entry,
          leafHash: row.leafHash,
        },
      }),
    ),
    ...completeness.epochs.map(({ epoch, map, mapRoot }) => mapCase(`map/epoch-${epoch}`, map, mapRoot)),
    ...completeness.smallMaps.map(({ sharedBits, map, root }) => mapCase(`map/shared-bits-${sharedBits}`, map, root)),
    ...completeness.peaks.map(({ size, peaks, root }) =>
      logCase(`peaks/${size}`, 'The peaks of a tree give its root.', {
        file: { kind: 'peaks', size, peaks },
        expected: { root },
      }),
    ),
    ...proofs.map(({ receipt, signature, proof, notBefore, expect, why, form }, index) =>
      logCase(`proof/${index + 1}${expect === 'included' ? '' : '_fail'}`, why ?? `A ${form} proof.`, {
        heading: 'Log proofs',
        file: { kind: 'proof', receipt, signature, proof, notBefore, policy, mmdSeconds },
        expected: { outcome: expect },
      }),
    ),
    ...editedProofs(proofs, policy).map(({ name, rule, outcome, proof, row, policy: text }) =>
      logCase(`proof/${name}`, rule, {
        heading: 'Log proofs',
        file: { kind: 'proof', receipt: row.receipt, signature: row.signature, proof, policy: text, mmdSeconds },
        expected: { outcome },
      }),
    ),
    ...forgedProofs(keys, policy).map(({ name, rule, outcome, ...file }) =>
      logCase(`proof/${name}`, rule, {
        heading: 'Log proofs',
        file: { kind: 'proof', ...file, mmdSeconds },
        expected: { outcome },
      }),
    ),
    ...policyTexts(keys, policy).map(({ name, rule, valid, text }) =>
      logCase(`policy/${name}`, rule, {
        heading: 'Log proofs',
        file: { kind: 'policy', policy: text },
        expected: { valid },
      }),
    ),
  ];
}

function logCase(id, rule, { heading = LOG, file, expected }) {
  return { id: `log/${id}`, heading, rule, command: 'log', file, expected };
}

function mapCase(id, elements, root) {
  const rule = 'An epoch names the root of the map of tenants.';
  return logCase(id, rule, { file: { kind: 'map', elements }, expected: { root } });
}
