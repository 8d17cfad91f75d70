// The library's answer to one case file of a transparency log. Runs in Node.js and in browsers.
import { parseTimestamp } from '@cer/keys';
import { judgeLogProof, parseLogPolicy, TlogError } from '@cer/tlog';
import { mapRoot } from '@cer/tlog/epoch';
import { makeLeaf, receiptDigest, tenantTag } from '@cer/tlog/leaf';
import { frontierOf, rootOfFrontier, verifyConsistency, verifyInclusion } from '@cer/tlog/merkle';
import { bytesOf } from './base64url.mjs';

const KINDS = { inclusion, consistency, leaf, map, peaks, proof, policy };

/** @param {{kind: keyof typeof KINDS}} file */
export function logCase(file) {
  return KINDS[file.kind](file);
}

function inclusion({ leafIndex, treeSize, leafHash, root, path }) {
  const proof = { leafIndex, treeSize, path: path.map(hashBytes) };
  return { valid: verifyInclusion(hashBytes(leafHash), proof, hashBytes(root)) };
}

function consistency({ size1, size2, root1, root2, path }) {
  const roots = { root1: hashBytes(root1), root2: hashBytes(root2) };
  return { valid: verifyConsistency({ size1, size2, ...roots, path: path.map(hashBytes) }) };
}

function leaf({ nodeId, tenantId, seed, receipt, signature, label }) {
  const digest = receiptDigest(receipt, signature);
  const made = makeLeaf(bytesOf(seed), digest, label);
  return {
    tenant: hashText(tenantTag(nodeId, tenantId)),
    receiptDigest: hashText(digest),
    receiptCommitment: hashText(made.receiptCommitment),
    tenantCommitment: hashText(made.tenantCommitment),
    entry: hex(made.entry),
    leafHash: hashText(made.leafHash),
  };
}

function map({ elements }) {
  const read = elements.map(({ key, value }) => ({ key: hashBytes(key), value: hashBytes(value) }));
  return { root: hashText(mapRoot(read)) };
}

function peaks({ size, peaks: given }) {
  return { root: hashText(rootOfFrontier(frontierOf(size, given.map(hashBytes)))) };
}

async function proof({ receipt, signature, proof: text, notBefore, policy, mmdSeconds }) {
  const { epochSeconds } = parseTimestamp(receipt.timestamp ?? receipt.registeredAt);
  const verdict = await judgeLogProof(
    { proof: text, notBefore },
    { receipt, signature, receiptSeconds: epochSeconds },
    { policy: parseLogPolicy(policy), mmdSeconds },
  );
  return { outcome: verdict.code ?? verdict.status };
}

function policy({ policy: text }) {
  try {
    parseLogPolicy(text);
    return { valid: true };
  } catch (error) {
    if (error instanceof TlogError) return { valid: false };
    throw error;
  }
}

function hashBytes(text) {
  return Uint8Array.from(text.slice('sha256:'.length).match(/../g), (pair) => Number.parseInt(pair, 16));
}

function hashText(bytes) {
  return `sha256:${hex(bytes)}`;
}

function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
