import { describe, expect, it } from '@jest/globals';
import { isJsonObject, jcsV1, type JsonValue } from '@cer/canonical-json';
import { parseTimestamp, sha256 } from '@cer/keys';
import {
  appendLeaves,
  buildMerkleTree,
  EMPTY_FRONTIER,
  frontierOf,
  leafHash,
  rootOfFrontier,
  treeOfLeafHashes,
  verifyConsistency,
  verifyInclusion,
} from '../src/merkle.js';
import {
  checkRange,
  formatEpoch,
  mapRoot,
  parseEpoch,
  proveInMap,
  tenantHeadValue,
  verifyEpochEnd,
} from '../src/epoch.js';
import { readMapProof } from '../src/epoch/tenant-map.js';
import { formatNote, formatVkey, parseCheckpoint, parseVkey } from '../src/note.js';
import {
  formatTilePath,
  openTileTree,
  tilesMatch,
  tilesOf,
  decodeEntryBundle,
  encodeEntryBundle,
} from '../src/tiles.js';
import { formatTlogProof, judgeCheckpoint, judgeLogProof, parseLogPolicy, parseTlogProof } from '../src/index.js';
import { makeLeaf, ownerOpening, publicOpening, readOpening, receiptDigest, tenantTag } from '../src/leaf.js';
import { COMPLETENESS, hashBytes, KEYS, LEAVES, LOG_300_TILES, PROOFS, readBytes, readText, TREE } from './vectors.js';

const text = (hash: Uint8Array): string => `sha256:${Buffer.from(hash).toString('hex')}`;
const entriesUpTo = (size: number): Uint8Array[] =>
  Array.from({ length: size }, (_, index) => Buffer.from(`leaf ${String(index)}`));
const POLICY = parseLogPolicy(readText('policy.txt'));

describe('the tree vectors', () => {
  const largest = Math.max(...TREE.heads.map(({ size }) => size));
  const tree = buildMerkleTree(entriesUpTo(largest));

  it('gives every head', () => {
    for (const { size, root } of TREE.heads) {
      expect(text(tree.rootAt(size))).toBe(root);
      const frontier = appendLeaves(EMPTY_FRONTIER, entriesUpTo(size).map(leafHash));
      expect(text(rootOfFrontier(frontier))).toBe(root);
    }
  });

  it.each(TREE.inclusion)('proves leaf $leafIndex in $treeSize', (row) => {
    const { leafIndex, treeSize, path } = row;
    expect(tree.inclusionPath(leafIndex, treeSize).map(text)).toEqual(path);
    const inclusion = { leafIndex, treeSize, path: path.map(hashBytes) };
    expect(verifyInclusion(hashBytes(row.leafHash), inclusion, hashBytes(row.root))).toBe(true);
  });

  it.each(TREE.consistency)('joins $size1 and $size2', (row) => {
    expect(tree.consistencyPath(row.size1, row.size2).map(text)).toEqual(row.path);
    expect(verifyConsistency(bytesOf(row))).toBe(true);
  });

  it.each(TREE.mustFail)('refuses $kind: $why', (row) => {
    if (row.kind === 'consistency') {
      expect(verifyConsistency(bytesOf(row))).toBe(false);
    } else {
      const { leafIndex, treeSize, path } = row;
      const inclusion = { leafIndex, treeSize, path: path.map(hashBytes) };
      expect(verifyInclusion(hashBytes(row.leafHash), inclusion, hashBytes(row.root))).toBe(false);
    }
  });

  it.each(TREE.tileNames)('names tile %d as %s', (index, name) => {
    expect(formatTilePath({ level: 0, index, width: 256 })).toBe(`tile/0/${name}`);
  });

  function bytesOf(row: (typeof TREE.consistency)[number]): Parameters<typeof verifyConsistency>[0] {
    const { size1, size2, root1, root2, path } = row;
    return { size1, size2, root1: hashBytes(root1), root2: hashBytes(root2), path: path.map(hashBytes) };
  }
});

describe('the leaf vectors', () => {
  it.each(LEAVES)('makes leaf $index', (row) => {
    const digest = receiptDigest(row.receipt, row.signature);
    expect(text(digest)).toBe(row.receiptDigest);
    expect(text(tenantTag(COMPLETENESS.nodeId, row.tenantId))).toBe(row.label.tenant);
    expect(jcsV1.canonicalize(row.label)).toBe(row.labelText);
    const leaf = makeLeaf(Buffer.from(row.seed, 'base64url'), digest, row.label);
    expect(Buffer.from(leaf.receiptSalt).toString('base64url')).toBe(row.receiptSalt);
    expect(Buffer.from(leaf.tenantSalt).toString('base64url')).toBe(row.tenantSalt);
    expect(text(leaf.receiptCommitment)).toBe(row.receiptCommitment);
    expect(text(leaf.tenantCommitment)).toBe(row.tenantCommitment);
    expect(Buffer.from(leaf.entry).toString('hex')).toBe(row.entry);
    expect(text(leaf.leafHash)).toBe(row.leafHash);
  });

  it('opens leaves as the proofs do', () => {
    for (const { index, form, proof, expect: expected } of PROOFS.proofs) {
      const row = LEAVES.find((leaf) => leaf.index === index);
      if (expected !== 'included' || row === undefined) continue;
      const leaf = makeLeaf(Buffer.from(row.seed, 'base64url'), hashBytes(row.receiptDigest), row.label);
      const opening = form === 'public' ? publicOpening(leaf) : ownerOpening(leaf, row.label);
      expect(Buffer.from(opening)).toEqual(Buffer.from(parseTlogProof(proof).extra));
    }
  });
});

describe('the key and checkpoint vectors', () => {
  it.each(Object.entries(KEYS))('reads and writes the key of %s', (_, { vkey, publicKey }) => {
    const key = parseVkey(vkey);
    expect(Buffer.from(key.publicKey.raw).toString('base64')).toBe(publicKey);
    expect(formatVkey(key)).toBe(vkey);
  });

  it('reads a whole log by its tiles', async () => {
    const checkpoint = parseCheckpoint(readText('log-plain-300/checkpoint'));
    const policy = parseLogPolicy(`log ${readText('log-plain-300/vkey').trim()}\nquorum none\n`);
    expect(await judgeCheckpoint(checkpoint, policy)).toEqual({ status: 'signed', witnesses: [], isQuorumMet: true });
    const tiles = openTileTree(checkpoint.size, async (tile) => readBytes(`log-plain-300/${formatTilePath(tile)}`));
    expect(await tilesMatch(checkpoint, tiles)).toBe(true);
    expect([...tilesOf(checkpoint.size)].map(formatTilePath)).toEqual(
      LOG_300_TILES.map(({ path }) => path).filter((path) => !path.includes('entries')),
    );
    for (const { path, bytes, sha256: digest } of LOG_300_TILES) {
      const tile = readBytes(`log-plain-300/${path}`);
      expect([tile.length, text(sha256(tile))]).toEqual([bytes, digest]);
    }
    const bundles = [readBytes('log-plain-300/tile/entries/000'), readBytes('log-plain-300/tile/entries/001.p/44')];
    const entries = bundles.flatMap(decodeEntryBundle);
    expect(text(buildMerkleTree(entries).root)).toBe(text(checkpoint.root));
    expect(Buffer.from(encodeEntryBundle(entries.slice(0, 256)))).toEqual(bundles[0]);
  });
});

describe('the proof vectors', () => {
  it.each(
    PROOFS.proofs.map((row) => [`${String(row.index)} of ${String(row.size)}: ${row.why ?? row.form}`, row] as const),
  )('judges %s', async (_, row) => {
    const time = parseTimestamp(row.receipt['timestamp'] ?? row.receipt['registeredAt']);
    if (time === null) throw new Error('the receipt has no time');
    const subject = { receipt: row.receipt, signature: row.signature, receiptSeconds: time.epochSeconds };
    const verdict = await judgeLogProof(row, subject, { policy: POLICY, mmdSeconds: PROOFS.mmdSeconds });
    expect(verdict.code ?? verdict.status).toBe(row.expect);
    if (row.expect === 'included') {
      expect(verdict.witnesses.length).toBeGreaterThanOrEqual(2);
      expect(verdict.loggedBy).toBeGreaterThan(time.epochSeconds);
    }
  });

  it('writes a proof to the letter', () => {
    for (const { proof, expect: expected } of PROOFS.proofs) {
      if (expected !== 'included') continue;
      const { extra, index, path } = parseTlogProof(proof);
      const checkpoint = proof.slice(proof.indexOf('\n\n') + 2);
      expect(formatTlogProof({ extra, index, path, checkpoint })).toBe(proof);
      const { note } = parseCheckpoint(checkpoint);
      expect(checkpoint.startsWith(formatNote(note.text, []))).toBe(true);
    }
  });
});

describe('the completeness vectors', () => {
  const { nodeId, epochs, epochProofs, range } = COMPLETENESS;
  const elements = (map: (typeof epochs)[number]['map']): { key: Uint8Array; value: Uint8Array }[] =>
    map.map(({ key, value }) => ({ key: hashBytes(key), value: hashBytes(value) }));

  it('gives the root of every map, and every proof', () => {
    expect(text(mapRoot([]))).toBe(COMPLETENESS.emptyMapRoot);
    for (const { map, mapRoot: root, tenants, absent } of epochs) {
      expect(text(mapRoot(elements(map)))).toBe(root);
      for (const { tenantId, tag, head, value, siblings } of tenants) {
        expect(text(tenantTag(nodeId, tenantId))).toBe(tag);
        expect(text(tenantHeadValue({ size: head.size, root: hashBytes(head.root) }))).toBe(value);
        const proof = proveInMap(elements(map), hashBytes(tag));
        expect(proof.siblings.map(text)).toEqual(siblings);
        const answer = readMapProof(proof, hashBytes(tag), hashBytes(root));
        expect(answer).toEqual({ status: 'present', value: hashBytes(value) });
      }
      for (const { tag, siblings, end } of absent) {
        const proof = proveInMap(elements(map), hashBytes(tag));
        expect(proof.siblings.map(text)).toEqual(siblings);
        expect(proof.end === null ? null : text(proof.end.key)).toBe(end?.key ?? null);
        expect(readMapProof(proof, hashBytes(tag), hashBytes(root))).toEqual({ status: 'absent' });
      }
    }
  });

  it.each(COMPLETENESS.smallMaps)('gives the map with $sharedBits shared bits', ({ map, root, siblingsOfFirst }) => {
    expect(text(mapRoot(elements(map)))).toBe(root);
    const [first] = map;
    if (first === undefined) throw new Error('the map is empty');
    expect(proveInMap(elements(map), hashBytes(first.key)).siblings.map(text)).toEqual(siblingsOfFirst);
  });

  it('reads and writes every epoch', () => {
    for (const { entry, entryHash, epoch, mapRoot: root } of epochs) {
      const bytes = Buffer.from(entry);
      expect(text(leafHash(bytes))).toBe(entryHash);
      const read = parseEpoch(bytes);
      expect([read.epoch, text(read.tenants)]).toEqual([epoch, root]);
      expect(Buffer.from(formatEpoch(read)).toString()).toBe(entry);
    }
  });

  it.each(COMPLETENESS.peaks)('folds the peaks of $size leaves', ({ size, peaks, root }) => {
    expect(text(rootOfFrontier(frontierOf(size, peaks.map(hashBytes))))).toBe(root);
  });

  const owner = { nodeId, tenantId: range.tenantId, origin: 'node.example/log' };
  const endOf = (number: number): Parameters<typeof verifyEpochEnd>[0] => {
    const row = epochs[number];
    const tenant = row?.tenants.find(({ tenantId }) => tenantId === range.tenantId);
    const proof = epochProofs.find(({ epoch }) => epoch === number)?.proof;
    if (row === undefined || tenant === undefined || proof === undefined) throw new Error('no such epoch');
    const head = { size: tenant.head.size, root: hashBytes(tenant.head.root) };
    return { epoch: number, entry: Buffer.from(row.entry), proof, head, siblings: tenant.siblings.map(hashBytes) };
  };
  const openedLeaves = (): Parameters<typeof checkRange>[0]['leaves'] =>
    range.leaves.map(({ opening }) => opened(opening));

  it('proves both ends of the range', async () => {
    for (const number of [range.fromEpoch, range.toEpoch]) {
      expect(await verifyEpochEnd(endOf(number), owner, POLICY)).toMatchObject({ status: 'valid' });
    }
  });

  it('refuses another head, epoch, tenant or origin', async () => {
    const end = endOf(range.toEpoch);
    const judged = async (...[changed, who]: [Partial<typeof end>, Partial<typeof owner>]): Promise<unknown> => {
      const verdict = await verifyEpochEnd({ ...end, ...changed }, { ...owner, ...who }, POLICY);
      return verdict.status === 'invalid' ? verdict.code : verdict.status;
    };
    expect(await judged({ head: { ...end.head, size: end.head.size - 1 } }, {})).toBe('LOG_HEAD_INVALID');
    expect(await judged({}, { tenantId: 'another' })).toBe('LOG_HEAD_INVALID');
    expect(await judged({ epoch: end.epoch - 1 }, {})).toBe('LOG_EPOCH_INVALID');
    expect(await judged({ entry: endOf(range.fromEpoch).entry }, {})).toBe('LOG_EPOCH_INVALID');
    expect(await judged({}, { origin: 'other.example/log' })).toBe('LOG_EPOCH_INVALID');
    expect(await judged({}, { nodeId: 'node-2' })).toBe('LOG_EPOCH_INVALID');
  });

  it('proves the range whole', () => {
    const proof = {
      from: endOf(range.fromEpoch).head,
      to: endOf(range.toEpoch).head,
      peaks: range.peaks.map(hashBytes),
    };
    expect([proof.from.size, proof.to.size]).toEqual([range.fromSize, range.toSize]);
    const leaves = openedLeaves();
    expect(checkRange({ ...proof, leaves }, owner)).toBeNull();
    const joined = { size1: proof.from.size, size2: proof.to.size, root1: proof.from.root, root2: proof.to.root };
    expect(verifyConsistency({ ...joined, path: range.consistency.map(hashBytes) })).toBe(true);

    const [first, second, ...rest] = leaves;
    if (first === undefined || second === undefined) throw new Error('the range is empty');
    expect(checkRange({ ...proof, leaves: [first, ...rest] }, owner)).toBe('LOG_RANGE_INVALID');
    expect(checkRange({ ...proof, leaves: [second, first, ...rest] }, owner)).toBe('LOG_RANGE_INVALID');
    expect(checkRange({ ...proof, leaves: [first, first, ...rest] }, owner)).toBe('LOG_RANGE_INVALID');
    expect(checkRange({ ...proof, leaves }, { ...owner, tenantId: 'another' })).toBe('LOG_TENANT_MISMATCH');
    expect(checkRange({ ...proof, peaks: proof.peaks.slice(1), leaves }, owner)).toBe('LOG_RANGE_INVALID');
  });

  function opened(row: Readonly<Record<string, JsonValue>>): Parameters<typeof checkRange>[0]['leaves'][number] {
    const { receipt, signature, ...opening } = row;
    const digest = isJsonObject(receipt) && typeof signature === 'string' ? receiptDigest(receipt, signature) : null;
    return { opening: readOpening(opening), digest };
  }
});

describe('trees of every size', () => {
  it('prove every leaf and every earlier size', () => {
    const leaves = entriesUpTo(70).map(leafHash);
    const tree = treeOfLeafHashes(leaves);
    for (let size = 1; size <= leaves.length; size++) {
      const root = tree.rootAt(size);
      for (let leafIndex = 0; leafIndex < size; leafIndex++) {
        const path = tree.inclusionPath(leafIndex, size);
        const leaf = leaves[leafIndex] ?? root;
        const place = { leafIndex, treeSize: size };
        expect(verifyInclusion(leaf, { ...place, path }, root)).toBe(true);
        expect(verifyInclusion(leaf, { ...place, path: [...path, leaf] }, root)).toBe(false);
        expect(verifyInclusion(root, { ...place, path }, root)).toBe(size === 1);
      }
      for (let size1 = 0; size1 <= size; size1++) {
        const path = tree.consistencyPath(size1, size);
        expect(verifyConsistency({ size1, size2: size, root1: tree.rootAt(size1), root2: root, path })).toBe(true);
      }
    }
  });
});
