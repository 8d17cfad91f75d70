// G1, G2: canonicalize and hash, compared with the library most implementations use and with the native lower bound.
import { createHash } from 'node:crypto';
import { canonicalize as jsonCanonicalize } from 'json-canonicalize';
import { jcsV1 } from '@cer/canonical-json';
import { sha256 } from '@cer/cer-core';
import { hashedMembers, sealedOfSize, SIZES } from './fixtures.mjs';
import { measure, rateOf, ratio } from './measure.mjs';

const GOALS = { '1 KB': [2.0, 0.7], '20 KB': [3.0, 0.7], '1 MB': [4.0, 0.45] };

const digest = (text) => createHash('sha256').update(text).digest('hex');

export async function canonicalCases({ rounds, seconds }) {
  const cases = [];
  const ratios = [];
  for (const [size, bytes] of SIZES) {
    const value = hashedMembers(sealedOfSize(bytes));
    if (jcsV1.canonicalize(value) !== jsonCanonicalize(value)) throw new Error('the two canonical forms differ');
    const measured = await measure(
      [
        { name: `canonicalize + SHA-256, ours, ${size}`, run: () => sha256(jcsV1.canonicalize(value)) },
        { name: `canonicalize + SHA-256, json-canonicalize, ${size}`, run: () => digest(jsonCanonicalize(value)) },
        { name: `JSON.stringify + SHA-256 (floor), ${size}`, run: () => digest(JSON.stringify(value)) },
      ],
      { rounds, secondsPerRound: seconds },
    );
    cases.push(...measured);
    const ours = rateOf(measured, `canonicalize + SHA-256, ours, ${size}`);
    const [peerGoal, floorGoal] = GOALS[size];
    ratios.push(
      ratio('G1', `ours / json-canonicalize, ${size}`, ours / measured[1].median, peerGoal),
      ratio('G2', `ours / JSON.stringify, ${size}`, ours / measured[2].median, floorGoal),
    );
  }
  return { cases, ratios };
}
