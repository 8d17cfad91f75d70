import {
  ACTIVE,
  attest,
  change,
  hashOnly,
  hashText,
  keySet,
  NODE_ID,
  object,
  olderReceipt,
  at,
  textAt,
  OTHER,
  pick,
  seal,
  sign,
  TIME,
  v1,
  type Json,
  type JsonObject,
} from '../forge.js';
import { fails, group, passes, type CaseLine, type Vector } from '../vector.js';

const INVALID = 'ATTESTATION_INVALID_SIGNATURE';
const RECEIPT = 'meta.attestation.receipt';
const SIGNATURE = 'meta.attestation.signature';

const LEGACY = olderReceipt(seal(v1())['certificateHash'] ?? null);

/** The order of the base point, to respell a signature with S + L. */
const L = 2n ** 252n + 27742317777372353535851937790883648493n;

function respelled(signature: string): string {
  const bytes = Buffer.from(signature, 'base64url');
  const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + L;
  const high = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse();
  return Buffer.concat([bytes.subarray(0, 32), high]).toString('base64url');
}

export async function receiptCases(): Promise<Vector[]> {
  const sealed = seal(v1());
  const receipted = await attest(sealed, { envelope: false });
  const certified = await attest(sealed);
  const signature = textAt(receipted, SIGNATURE);
  const meta = (attestation: Json): JsonObject => ({ ...sealed, meta: { attestation } });
  /** The receipt is another, and duly signed. */
  const signedOver = async (receipt: JsonObject): Promise<JsonObject> =>
    meta({ receipt, signature: await sign(ACTIVE, receipt) });
  const receipt = object(at(receipted, RECEIPT));
  const copy = (name: string, to: Json): CaseLine => [
    `copy-of-${name.toLowerCase()}-lies`,
    'Every unsigned copy present must equal the signed value, else FAIL.',
    change(receipted, `meta.attestation.${name}`, to),
    fails(INVALID, `meta.attestation.${name}`, 'PPFS'),
  ];
  const ofOtherProtocol = await signedOver({ ...LEGACY, protocolVersion: '1.3.0' });
  const otherProtocol = (name: string, version: string): CaseLine => [
    `legacy-of-another-protocol-beside-that-of-the-${name}`,
    'A copy equals the protocol of the snapshot and that of the receipt of an older node.',
    change(ofOtherProtocol, 'meta.attestation.protocolVersion', version),
    fails(INVALID, 'meta.attestation.protocolVersion', 'PPFS'),
    { heading: 'Attestation' },
  ];
  const missing = (name: string, bundle: JsonObject, member = RECEIPT): CaseLine => [
    name,
    'Any part of an attestation without the rest of the receipt is FAIL ATTESTATION_MISSING.',
    bundle,
    fails('ATTESTATION_MISSING', member, 'PFFS'),
  ];
  const broken = (name: string, to: Json): CaseLine => [
    `signature-${name}`,
    'Signature = Ed25519 over the UTF-8 of the JCS form of the receipt, base64url without padding.',
    change(receipted, SIGNATURE, to),
    fails(INVALID, SIGNATURE, 'PFPS'),
  ];
  const flat = { ...receipt, signature };
  return group('receipt', 'Layer 2: receipt', keySet(), [
    [
      'certified',
      'A certified bundle yields PASS/PASS/PASS.',
      certified,
      passes('PPPP'),
      { heading: 'Overall status' },
    ],
    [
      'before-envelopes',
      'Bundles issued before envelope support have none, and Layer 3 returns SKIPPED for them.',
      receipted,
      passes('PPPS'),
      { heading: 'Overall status' },
    ],
    [
      'laid-flat',
      'A verifier also takes the receipt laid flat in meta.attestation.',
      meta(flat),
      passes('PPPS'),
      { heading: 'Attestation' },
    ],
    [
      'laid-flat-with-another-hash',
      'A flat receipt names this certificateHash too.',
      meta({ ...flat, certificateHash: hashText('x') }),
      fails(INVALID, SIGNATURE, 'PFFS'),
      { heading: 'Attestation' },
    ],
    [
      'laid-flat-with-a-copy-of-its-kid',
      'kid, attestorKeyId: the receipt\'s kid.',
      meta({ ...flat, attestorKeyId: ACTIVE.kid }),
      passes('PPPS'),
      { heading: 'Attestation' },
    ],
    [
      'laid-flat-beside-members-of-other-receipts',
      'A verifier also takes the receipt laid flat in meta.attestation.',
      meta({ ...flat, timestampType: 'node-issued', registeredAt: TIME }),
      passes('PPPS'),
      { heading: 'Attestation' },
    ],
    [
      'laid-flat-beside-null',
      'null means absent in these members.',
      meta({ ...flat, receiptVersion: null, scope: null }),
      passes('PPPS'),
      { heading: 'Attestation' },
    ],
    [
      'laid-flat-with-unknown-scope',
      'A receipt of an unknown scope is ATTESTATION_INVALID_SIGNATURE.',
      meta({ ...flat, scope: 'other' }),
      fails(INVALID, RECEIPT, 'PFFS'),
      { heading: 'Receipt' },
    ],
    [
      'receipt-of-unknown-scope-without-time',
      'Codes, the first that applies: a receipt that lacks a member is ATTESTATION_MISSING.',
      await signedOver(object(change(change(receipt, 'scope', 'other'), 'timestamp', undefined))),
      fails('ATTESTATION_MISSING', RECEIPT, 'PFFS'),
      { heading: 'Receipt' },
    ],
    [
      'receipt-with-a-member-of-older-ones',
      'A receipt with a further member is ATTESTATION_INVALID_SIGNATURE.',
      await signedOver({ ...receipt, attestorKeyId: ACTIVE.kid }),
      fails(INVALID, RECEIPT, 'PFFS'),
      { heading: 'Receipt' },
    ],
    [
      'legacy-nine-members',
      'A verifier also takes the 9-member legacy receipt.',
      await signedOver(LEGACY),
      passes('PPPS'),
      { heading: 'Attestation' },
    ],
    [
      'legacy-laid-flat',
      'A verifier also takes the 9-member legacy receipt.',
      meta({ ...LEGACY, signature: await sign(ACTIVE, LEGACY) }),
      passes('PPPS'),
      { heading: 'Attestation' },
    ],
    [
      'legacy-of-a-malformed-runtime-hash',
      'A receipt with a member of the wrong type or form is ATTESTATION_INVALID_SIGNATURE.',
      await signedOver({ ...LEGACY, nodeRuntimeHash: 'x' }),
      fails(INVALID, RECEIPT, 'PFFS'),
    ],
    otherProtocol('snapshot', '1.2.0'),
    otherProtocol('receipt', '1.3.0'),
    [
      'legacy-of-another-hash',
      'The receipt names this certificateHash.',
      await signedOver({ ...LEGACY, certificateHash: hashText('x') }),
      fails(INVALID, `${RECEIPT}.certificateHash`, 'PPFS'),
    ],
    [
      'legacy-with-eight-members',
      'The legacy receipt has exactly its nine members.',
      await signedOver(Object.fromEntries(Object.entries(LEGACY).filter(([name]) => name !== 'timestampType'))),
      fails('ATTESTATION_MISSING', RECEIPT, 'PFFS'),
    ],
    [
      'attestation-null',
      'SKIPPED only when the bundle carries no attestation, receipt, signature or envelope at all.',
      meta(null),
      passes('PSSS'),
    ],
    missing('attestation-empty', meta({})),
    missing('attestation-is-text', meta('attested')),
    missing('receipt-absent', change(receipted, RECEIPT, undefined)),
    missing('signature-absent', change(receipted, SIGNATURE, undefined), SIGNATURE),
    missing('malformed-receipt-without-signature', meta({ receipt: { ...receipt, note: 'x' } }), SIGNATURE),
    missing('receipt-without-kid', change(receipted, `${RECEIPT}.kid`, undefined)),
    missing('receipt-without-node', change(receipted, `${RECEIPT}.nodeId`, undefined)),
    missing('signature-alone', { ...sealed, signature }),
    missing('receipt-alone', { ...sealed, receipt }, SIGNATURE),
    [
      'envelope-alone',
      'Any part of an attestation without the rest of the receipt is FAIL ATTESTATION_MISSING.',
      change(certified, 'meta.attestation', undefined),
      fails('ATTESTATION_MISSING', RECEIPT, 'PFFF'),
    ],
    [
      'receipt-with-another-member',
      'Receipt: exactly {certificateHash, timestamp, nodeId, kid}.',
      await signedOver({ ...receipt, note: 'x' }),
      fails(INVALID, RECEIPT, 'PFFS'),
      { heading: 'Receipt' },
    ],
    [
      'receipt-of-unknown-scope',
      'The member sets are disjoint, so a signature for one purpose never serves another.',
      await signedOver({ ...receipt, scope: 'full' }),
      fails(INVALID, RECEIPT, 'PFFS'),
      { heading: 'Receipt' },
    ],
    [
      'receipt-of-a-project',
      'A signature for one purpose never serves another.',
      await signedOver({
        projectHash: sealed['certificateHash'] ?? null,
        registeredAt: TIME,
        nodeId: NODE_ID,
        kid: ACTIVE.kid,
      }),
      fails(INVALID, `${RECEIPT}.scope`, 'PPFS'),
      { heading: 'Receipt' },
    ],
    [
      'receipt-of-a-project-on-an-unknown-type',
      'A signature for one purpose never serves another.',
      {
        ...(await signedOver({
          projectHash: sealed['certificateHash'] ?? null,
          registeredAt: TIME,
          nodeId: NODE_ID,
          kid: ACTIVE.kid,
        })),
        bundleType: 'other',
      },
      fails('SCHEMA_ERROR', 'bundleType', 'FPFS', {
        reasonCodes: ['SCHEMA_ERROR', 'SCHEMA_VERSION_UNSUPPORTED', INVALID],
      }),
      { heading: 'Receipt' },
    ],
    [
      'receipt-of-scope-hash-only',
      'A receipt whose scope does not fit the bundle type FAILS.',
      await attest(sealed, { envelope: false, receipt: { scope: 'hash-only' } }),
      fails(INVALID, `${RECEIPT}.scope`, 'PPFS'),
      { heading: 'Receipt' },
    ],
    [
      'receipt-of-scope-reseal',
      'A receipt whose scope does not fit the bundle type FAILS.',
      await attest(sealed, {
        envelope: false,
        receipt: { scope: 'reseal', originalCertificateHash: hashText('x'), redactionPolicy: '' },
      }),
      fails(INVALID, `${RECEIPT}.scope`, 'PPFS'),
      { heading: 'Receipt' },
    ],
    [
      'full-receipt-on-hash-only',
      'A receipt whose scope does not fit the bundle type FAILS.',
      await attest(hashOnly(), { envelope: false }),
      fails(INVALID, `${RECEIPT}.scope`, 'PPFS'),
      { heading: 'Receipt' },
    ],
    [
      'timestamp-malformed',
      'An object with an invalid time is not a receipt.',
      await signedOver({ ...receipt, timestamp: 'yesterday' }),
      fails(INVALID, RECEIPT, 'PFFS'),
    ],
    [
      'of-another-certificate',
      'The receipt must reference the bundle certificateHash.',
      meta({
        ...object(at(await attest(seal(v1({ model: 'other' })), { envelope: false }), 'meta.attestation')),
        certificateHash: null,
      }),
      fails(INVALID, `${RECEIPT}.certificateHash`, 'PPFS'),
    ],
    [
      'of-another-node',
      'The node identity must match.',
      await attest(sealed, { envelope: false, nodeId: 'another' }),
      fails(INVALID, `${RECEIPT}.nodeId`, 'PPFS'),
    ],
    [
      'content-changed-and-sealed-again',
      'The receipt must reference the bundle certificateHash.',
      { ...seal(v1({ model: 'other' })), meta: receipted['meta'] ?? null },
      fails(INVALID, `${RECEIPT}.certificateHash`, 'PPFS'),
    ],
    [
      'content-changed',
      'Each layer reports by itself.',
      change(certified, 'snapshot.model', 'other'),
      fails('CERTIFICATE_HASH_MISMATCH', 'certificateHash', 'FPPF'),
      { heading: 'Verification' },
    ],
    [
      'content-changed-and-kid-unknown',
      'Codes, the first that applies: those of integrity come before those of the receipt.',
      change(await attest(sealed, { signer: OTHER, envelope: false }), 'snapshot.model', 'other'),
      fails('CERTIFICATE_HASH_MISMATCH', 'certificateHash', 'FFPS'),
      { heading: 'Verification codes' },
    ],
    [
      'signed-by-another-key-under-this-kid',
      'Signature valid under the key named by kid.',
      change(receipted, SIGNATURE, await sign(OTHER, receipt)),
      fails(INVALID, SIGNATURE, 'PFPS'),
    ],
    [
      'receipt-changed',
      'Signature valid under the key named by kid.',
      change(
        change(receipted, `${RECEIPT}.timestamp`, '2026-01-02T03:04:05.679Z'),
        'meta.attestation.attestedAt',
        null,
      ),
      fails(INVALID, SIGNATURE, 'PFPS'),
    ],
    broken('malleated', respelled(signature)),
    broken('truncated', signature.slice(0, -4)),
    broken('empty', ''),
    broken('padded', `${signature}==`),
    broken('in-base64', Buffer.from(signature, 'base64url').toString('base64')),
    broken('with-white-space', `${signature}\n`),
    broken(
      'with-loose-bits',
      `${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : String.fromCharCode(signature.charCodeAt(85) + 1)}`,
    ),
    broken('number', 7),
    broken('all-zero', Buffer.alloc(64).toString('base64url')),
    [
      'copy-of-attestedat-in-another-spelling',
      'A time that is a copy of a signed or hashed one is compared as the text that it is.',
      change(receipted, 'meta.attestation.attestedAt', TIME.replace(/Z$/, '+00:00')),
      fails(INVALID, 'meta.attestation.attestedAt', 'PPFS'),
    ],
    copy('certificateHash', hashText('x')),
    copy('kid', 'another'),
    copy('nodeId', 'another'),
    copy('attestedAt', '2020-01-01T00:00:00Z'),
    copy('timestamp', '2020-01-01T00:00:00Z'),
    copy('bundleType', 'cer.ai.execution.v2'),
    copy('protocolVersion', '1.3.1'),
    copy(
      'signatureB64Url',
      signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
    ),
    [
      'another-node-pinned',
      'A node named by the caller is the pin of the caller.',
      receipted,
      fails(INVALID, `${RECEIPT}.nodeId`, 'PPFS'),
      { options: { nodeId: 'another' } },
    ],
    [
      'this-node-pinned',
      'A node named by the caller is the pin of the caller.',
      receipted,
      passes('PPPS'),
      { options: { nodeId: NODE_ID } },
    ],
    [
      'demanded-and-absent',
      'ATTESTATION_MISSING where an attestation was demanded.',
      sealed,
      fails('ATTESTATION_MISSING', 'meta.attestation', 'PSSS'),
      { options: { requireAttestation: true }, heading: 'Overall status' },
    ],
    [
      'changed-to-before-the-life-of-its-key',
      'A signature that the named key did not make comes before the date outside the life of that key.',
      change(receipted, 'meta.attestation.receipt.timestamp', '2019-01-02T03:04:05.678Z'),
      fails('ATTESTATION_INVALID_SIGNATURE', 'meta.attestation.signature', 'PFFS'),
    ],
    [
      'signed-before-the-life-of-its-key',
      'A date outside the life of the key.',
      await attest(sealed, { envelope: false, timestamp: '2019-01-02T03:04:05.678Z' }),
      fails('ATTESTATION_KEY_NOT_FOUND', 'meta.attestation.receipt', 'PFPS'),
    ],
    [
      'attestation-is-text-beside-the-receipt-of-a-package',
      'meta.attestation is an object.',
      {
        cer: { ...sealed, meta: { attestation: 'x' } },
        ...pick(object(at(receipted, 'meta.attestation')), ['receipt', 'signature']),
      },
      fails('SCHEMA_ERROR', 'meta.attestation', 'FPPS'),
    ],
    [
      'attestation-of-a-package-is-text-beside-the-receipt',
      'attestation is an object.',
      { cer: receipted, attestation: 'x' },
      fails('SCHEMA_ERROR', 'package.attestation', 'FPPS'),
    ],
    [
      'attestation-of-a-package-is-text-without-a-receipt',
      'attestation is an object where a receipt is present.',
      { cer: change(receipted, RECEIPT, undefined), attestation: 'x' },
      fails('ATTESTATION_MISSING', RECEIPT, 'PFFS'),
    ],
    [
      'attestation-is-text-beside-a-receipt-that-is-text',
      'meta.attestation is an object where a receipt is present.',
      { cer: { ...sealed, meta: { attestation: 'x' } }, receipt: 'x', signature },
      fails('SCHEMA_ERROR', 'meta.attestation', 'FFFS', { reasonCodes: ['SCHEMA_ERROR', 'ATTESTATION_MISSING'] }),
    ],
    [
      'demanded-and-there',
      'ATTESTATION_MISSING where an attestation was demanded.',
      receipted,
      passes('PPPS'),
      { options: { requireAttestation: true }, heading: 'Overall status' },
    ],
    [
      'full-artifact-demanded-and-there',
      'INCOMPLETE_ARTIFACT: hash-only or a reseal where a full one was demanded.',
      receipted,
      passes('PPPS'),
      { options: { requireFullArtifact: true }, heading: 'Overall status' },
    ],
  ]);
}
