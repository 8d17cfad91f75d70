import { isJsonObject, member, type JsonValue } from '@cer/canonical-json';
import { isSha256Hash } from '@cer/cer-core';
import type { TimestampClaim, TimestampVerifier } from '@cer/cer-core/verify';
import { decodeBase64, decodeHex } from '@cer/keys';
import { leafHash, verifyInclusion, type Inclusion } from '@cer/tlog/merkle';
import { isSameBytes } from './der.js';
import type { TsaRoots } from './roots.js';
import { MAX_TOKEN_BYTES } from './token.js';
import { verifyTimestampToken } from './verify-token.js';

const MAX_TOKEN_TEXT = Math.ceil(MAX_TOKEN_BYTES / 3) * 4;

/** The height of a tree with 2^53 leaves, more than any real batch. */
const MAX_PATH = 53;

/**
 * Creates the checker for external timestamps: verifies tokens against these roots, alone or in a batch.
 * @param roots pinned by the caller; certificates in a token are never roots
 * @see docs/spec.md, "External timestamps"
 */
export function createTimestampVerifier(roots: TsaRoots): TimestampVerifier {
  return async ({ token, inclusion, candidates }) => {
    const bytes = tokenBytes(token);
    if (bytes === null)
      return { status: 'invalid', detail: `token: must be base64 of at most ${MAX_TOKEN_BYTES} bytes` };
    const place = inclusion === undefined ? null : readInclusion(inclusion);
    if (inclusion !== undefined && place === null) {
      return { status: 'invalid', detail: 'inclusion: must be {treeSize, leafIndex, path} with hashes in path' };
    }
    let covered: TimestampClaim['candidates'][number] | undefined;
    const outcome = await verifyTimestampToken(bytes, {
      roots,
      isImprint: (imprint) => {
        covered = candidates.find(({ digest }) =>
          place === null ? isSameBytes(digest, imprint) : verifyInclusion(leafHash(digest), place, imprint),
        );
        return covered !== undefined;
      },
    });
    if (outcome.status === 'invalid') return outcome;
    if (covered === undefined) return { status: 'invalid', detail: 'the imprint does not match' };
    const { status, genTime, accuracy, authority } = outcome;
    return { status, covers: covered.covers, genTime, accuracy, provider: authority };
  };
}

function tokenBytes(text: string): Uint8Array | null {
  if (text.length > MAX_TOKEN_TEXT) return null;
  try {
    return decodeBase64(text);
  } catch {
    return null;
  }
}

/** `{treeSize, leafIndex, path}` as in `meta.timestamps`. */
function readInclusion(value: JsonValue): Inclusion | null {
  if (!isJsonObject(value)) return null;
  const treeSize = member(value, 'treeSize');
  const leafIndex = member(value, 'leafIndex');
  const path = member(value, 'path');
  if (typeof treeSize !== 'number' || typeof leafIndex !== 'number' || !Array.isArray(path)) return null;
  if (path.length > MAX_PATH || !path.every(isSha256Hash)) return null;
  return { treeSize, leafIndex, path: path.map(hashBytes) };
}

function hashBytes(hash: string): Uint8Array {
  return decodeHex(hash.slice('sha256:'.length));
}
