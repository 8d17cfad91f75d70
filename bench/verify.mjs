// G7, G10: verification compared with its lower bound, two bare signature checks, and with a peer without signatures.
import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { sealCer, verifyCer } from '@nexart/ai-execution';
import { sealExecution } from '@cer/cer-core/seal';
import { checkContent, evaluateCer } from '@cer/cer-core/verify';
import { certifiedOfSize, keySet } from './fixtures.mjs';
import { measure, rateOf, ratio } from './measure.mjs';

const verifiedAt = '2026-01-02T03:04:05.678Z';

export async function verifyCases({ rounds, seconds }) {
  const cases = [];
  for (const [size, bytes] of [
    ['1 KB', 1024],
    ['20 KB', 20 * 1024],
  ]) {
    const bundle = JSON.parse(JSON.stringify(await certifiedOfSize(bytes)));
    const evaluation = await evaluateCer(bundle, { keySet, verifiedAt });
    if (evaluation.status !== 'VERIFIED' || evaluation.envelope.status !== 'PASS') throw new Error('must verify');
    cases.push(
      ...(await measure(
        [
          { name: `verify, three layers, ${size}`, run: () => evaluateCer(bundle, { keySet, verifiedAt }) },
          { name: `two bare crypto.verify, ${size}`, run: twoBareChecks(bytes) },
        ],
        { rounds, secondsPerRound: seconds },
      )),
    );
  }
  const g7 = rateOf(cases, 'verify, three layers, 1 KB') / rateOf(cases, 'two bare crypto.verify, 1 KB');
  const peer = await peerCases({ rounds, seconds });
  return {
    cases: [...cases, ...peer.cases],
    ratios: [ratio('G7', 'verify 1 KB / two bare checks', g7, 0.8), ...peer.ratios],
  };
}

/** Valid signatures: a check of garbage returns early. */
function twoBareChecks(bytes) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const [receipt, envelope] = [Buffer.alloc(250, 97), Buffer.alloc(bytes, 98)].map((message) => ({
    message,
    signature: sign(null, message, privateKey),
  }));
  return () => {
    const holds =
      verify(null, receipt.message, publicKey, receipt.signature) &&
      verify(null, envelope.message, publicKey, envelope.signature);
    if (!holds) throw new Error('must hold');
  };
}

/** The peer checks hashes only, so only our integrity layer is compared; it knows protocol 1.2.0 with raw values. */
async function peerCases({ rounds, seconds }) {
  const params = {
    executionId: 'bench-peer',
    timestamp: verifiedAt,
    provider: 'example',
    model: 'example-large-2',
    prompt: 'Answer briefly.',
    input: 'What does a certificate prove? '.repeat(8),
    output: 'That this content was described, at this time, by this node. '.repeat(4),
    parameters: { temperature: 0.2, maxTokens: 512, topP: 0.95, seed: 42 },
    sdkVersion: '0.1.0',
    appId: 'bench',
  };
  const { createSnapshot } = await import('@nexart/ai-execution');
  const snapshot = createSnapshot(params);
  const bundle = sealCer(snapshot, { createdAt: verifiedAt });
  if (!verifyCer(bundle).ok || checkContent(bundle).findings.length > 0) throw new Error('both must accept the bundle');
  const { prompt: _prompt, sdkVersion: _sdk, ...request } = params;
  const given = { createdAt: verifiedAt, timestamp: null, executionId: 'x', saltsFor: () => null };
  const cases = await measure(
    [
      { name: 'integrity layer, ours', run: () => checkContent(bundle) },
      { name: 'integrity, @nexart/ai-execution', run: () => verifyCer(bundle) },
      { name: 'seal, ours', run: () => sealExecution(request, given) },
      {
        name: 'seal, @nexart/ai-execution',
        run: () => sealCer(createSnapshot(params), { createdAt: verifiedAt }),
      },
    ],
    { rounds, secondsPerRound: seconds },
  );
  return {
    cases,
    ratios: [
      ratio('G10', 'integrity, ours / @nexart', cases[0].median / cases[1].median, 1.5),
      ratio('G10', 'seal, ours / @nexart', cases[2].median / cases[3].median, 1.5),
    ],
  };
}
