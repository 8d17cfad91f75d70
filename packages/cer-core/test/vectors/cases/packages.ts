import {
  ACTIVE,
  at,
  attest,
  ATTESTATION_ID,
  change,
  hashText,
  keySet,
  NODE_ID,
  object,
  ORIGINAL_HASH,
  OTHER,
  pick,
  reseal,
  RUNTIME_HASH,
  seal,
  sign,
  TIME,
  v1,
  without,
  type Json,
  type JsonObject,
} from '../forge.js';
import { fails, group, passes, type CaseLine, type Vector } from '../vector.js';

const INVALID = 'ATTESTATION_INVALID_SIGNATURE';
const OTHER_ID = '99999999-2222-4333-8444-555555555555';

function summary(certificateHash: Json): JsonObject {
  return {
    attestationId: ATTESTATION_ID,
    attestedAt: TIME,
    bundleType: 'cer.ai.execution.v1',
    certificateHash,
    nodeRuntimeHash: RUNTIME_HASH,
    protocolVersion: '1.2.0',
    requestId: 'request-1',
    verified: true,
    checks: ['snapshot_hashes', 'certificate_hash'],
  };
}

/** A saved answer of certify. */
function certifyResponse(cer: JsonObject): JsonObject {
  const meta = object(cer['meta']);
  const attestation = object(meta['attestation']);
  return {
    ok: true,
    cer,
    ...pick(cer, ['certificateHash', 'bundleType', 'createdAt']),
    ...pick(attestation, [
      'attestationId',
      'nodeRuntimeHash',
      'protocolVersion',
      'kid',
      'receipt',
      'signature',
      'timestamp',
    ]),
    issuedAt: TIME,
    attestorKeyId: ACTIVE.kid,
    signatureB64Url: attestation['signature'] ?? null,
    attestation: summary(cer['certificateHash'] ?? null),
    ...pick(meta, ['verificationEnvelope', 'verificationEnvelopeSignature']),
    verificationUrl: 'https://verify.example/c/sha256%3A00',
    requestId: 'request-1',
  };
}

/** The answer of a lookup by the original hash, where the public form is a reseal. */
function lookupOfReseal(cer: JsonObject): JsonObject {
  const original = object(at(cer, 'meta.provenance.original'));
  return {
    ok: true,
    certificateHash: ORIGINAL_HASH,
    resealedCertificateHash: cer['certificateHash'] ?? null,
    bundleType: 'cer.ai.execution.v1',
    createdAt: TIME,
    protocolVersion: '1.2.0',
    status: 'ATTESTED',
    attestation: summary(ORIGINAL_HASH),
    ...pick(original, ['receipt', 'signature']),
    kid: ACTIVE.kid,
    nodeId: NODE_ID,
    timestamp: at(cer, 'meta.attestation.timestamp'),
    cer,
  };
}

export async function packageCases(): Promise<Vector[]> {
  const sealed = seal(v1());
  const cer = await attest(sealed);
  const saved = certifyResponse(cer);
  const resealed = await reseal(v1({ prompt: '[REDACTED]' }));
  const lookup = lookupOfReseal(resealed);
  const bare = { cer: sealed, ...pick(saved, ['receipt', 'signature', 'attestation']) };
  const attestation = object(at(cer, 'meta.attestation'));
  const receipt = object(attestation['receipt']);
  const signed = { receipt, signature: attestation['signature'] ?? null };
  const PLACE = 'attestation in a package is a place of the receipt and its signature, as meta.attestation is.';
  const place = (name: string, around: JsonObject): CaseLine => [
    name,
    PLACE,
    { cer: sealed, ...around },
    passes('PPPS'),
  ];
  const AGREE = 'Where a value is also in cer.meta both must agree, else FAIL.';
  const COPY = 'Every unsigned copy present must equal the signed value, else FAIL.';
  const lie = (name: string, path: string, to: Json, member = `package.${path}`, rule = AGREE): CaseLine => [
    name,
    rule,
    change(saved, path, to),
    fails(INVALID, member, 'PPFP'),
  ];
  const lookupLie = (name: string, path: string, to: Json, member = `package.${path}`): CaseLine => [
    name,
    'With resealedCertificateHash the top-level receipt and signature are checked against meta.provenance.original.',
    change(lookup, path, to),
    fails(INVALID, member, 'PPFS'),
  ];
  const otherReceipt = change(object(saved['receipt']), 'nodeId', 'another');
  const labelled = {
    cer: sealed,
    receipt: otherReceipt,
    signature: await sign(OTHER, otherReceipt),
    resealedCertificateHash: sealed['certificateHash'] ?? null,
  };
  const forgedOriginal = {
    certificateHash: ORIGINAL_HASH,
    receipt: { ...object(lookup['receipt']), nodeId: 'another' },
    signature: 'x',
  };
  return group('package', 'Packages', keySet(), [
    [
      'two-in-a-bundle',
      'A body with two of {bundle at the top level, cer, bundle} is refused.',
      { bundle: { ...sealed, cer: sealed } },
      fails('SCHEMA_ERROR', 'bundle'),
    ],
    [
      'cer-in-a-bundle-is-text',
      'A path leads from the body to the member.',
      { bundle: { cer: 'x' } },
      fails('SCHEMA_ERROR', 'bundle.cer'),
    ],
    ...[
      { bundle: { cer: sealed, bundleType: 'cer.project.bundle.v1' } },
      { cer: { bundleType: 'cer.project.bundle.v1' } },
      { bundle: { cer: { bundleType: 'cer.project.bundle.v1' } } },
    ].map((body, place): CaseLine => [
      `project-inside-${place + 1}`,
      'What has the bundleType of a project, inside or around it, is not verified as a certificate.',
      body,
      fails('SCHEMA_ERROR', 'bundleType', 'FSSS', { reasonCodes: ['SCHEMA_ERROR'] }),
    ]),
    ['certify-response', 'Saved certify responses are packages too.', saved, passes('PPPP')],
    [
      'simplified-response',
      'Both names for the signature are documented.',
      {
        verificationUrl: 'x',
        certificateHash: sealed['certificateHash'] ?? null,
        cer: sealed,
        receipt: saved['receipt'] ?? null,
        signatureB64Url: saved['signature'] ?? null,
      },
      passes('PPPS'),
    ],
    [
      'attestation-outside-only',
      'A package is {cer, receipt, signature, attestation, verificationEnvelope, verificationEnvelopeSignature}.',
      bare,
      passes('PPPS'),
    ],
    place('attestation-outside-holds-the-receipt', { attestation }),
    place('attestation-outside-holds-nothing-else', { attestation: signed }),
    place('receipt-laid-flat-outside', { attestation: { ...receipt, signature: signed.signature } }),
    place('signature-in-the-attestation-outside', { receipt, attestation: pick(signed, ['signature']) }),
    place('signature-synonym-in-the-attestation-outside', {
      receipt,
      attestation: { signatureB64Url: signed.signature },
    }),
    place('receipt-null-beside-the-attestation', { ...signed, receipt: null, attestation }),
    [
      'envelope-outside-only',
      'A package is {cer, receipt, signature, attestation, verificationEnvelope, verificationEnvelopeSignature}.',
      change(
        change({ ...saved, attestation: { ...object(saved['attestation']), kid: ACTIVE.kid } }, 'cer', sealed),
        'timestamp',
        null,
      ),
      passes('PPPP'),
    ],
    [
      'lookup-response',
      'Saved lookup responses are packages too.',
      {
        ...without(saved, 'verificationEnvelope', 'verificationEnvelopeSignature'),
        cer: without({ ...cer, meta: pick(object(cer['meta']), ['attestation']) }),
        status: 'ATTESTED',
        nodeId: NODE_ID,
      },
      passes('PPPS'),
    ],
    [
      'lookup-of-a-reseal',
      'With resealedCertificateHash the top-level receipt and signature are the original’s.',
      lookup,
      passes('PPPS', { provenance: 'proven' }),
    ],
    [
      'unknown-members-beside-a-bare-bundle',
      'Unknown members at the top level of a bundle are not hashed, and no copies: only a package around it has those.',
      { ...cer, nodeId: 'another', kid: OTHER.kid, attestorKeyId: OTHER.kid, timestamp: '2020-01-01T00:00:00Z' },
      passes('PPPP'),
      { heading: 'Attestation' },
    ],
    [
      'unknown-member-of-the-attestation-beside-the-package',
      'Members of meta.attestation that are no copies are not compared with those of the package around it.',
      change(saved, 'cer.meta.attestation', { ...object(at(cer, 'meta.attestation')), createdAt: 'x', ok: 'y' }),
      passes('PPPP'),
    ],
    ['wrapped-bundle', 'Verify takes {bundle}.', { bundle: cer }, passes('PPPP')],
    ['wrapped-package', 'Verify takes {bundle} around a package.', { bundle: saved }, passes('PPPP')],
    [
      'wrapped-twice',
      'A body is a bundle, a package, or {bundle} around one of them.',
      { bundle: { bundle: cer } },
      fails('SCHEMA_ERROR', 'bundle'),
    ],
    [
      'two-bundles',
      'A body with two of bundle at top level, cer, bundle is refused.',
      { ...cer, cer },
      fails('SCHEMA_ERROR', ''),
    ],
    [
      'cer-and-bundle',
      'A body with two of bundle at top level, cer, bundle is refused.',
      { bundle: cer, cer },
      fails('SCHEMA_ERROR', ''),
    ],
    [
      'project-label-around-a-lookup',
      'A label loosens nothing: what calls itself a project is not verified as a certificate.',
      { ...lookup, bundleType: 'cer.project.bundle.v1' },
      fails('SCHEMA_ERROR', 'bundleType'),
    ],
    [
      'project-label-around-a-bundle',
      'A label loosens nothing: what calls itself a project is not verified as a certificate.',
      { bundleType: 'cer.project.bundle.v1', bundle: cer },
      fails('SCHEMA_ERROR', 'bundleType'),
    ],
    ['cer-is-text', 'cer is an object.', { cer: 'x' }, fails('SCHEMA_ERROR', 'cer')],
    ['bundle-is-null', 'bundle is an object.', { bundle: null }, fails('SCHEMA_ERROR', 'bundle')],
    lie('receipt-differs', 'receipt', otherReceipt),
    lie('signature-differs', 'signature', 'x'),
    lie('signature-synonym-differs', 'signatureB64Url', 'x'),
    lie('kid-differs', 'kid', OTHER.kid),
    lie('kid-synonym-differs', 'attestorKeyId', OTHER.kid, 'package.attestorKeyId', COPY),
    lie('issued-at-differs', 'issuedAt', '2020-01-01T00:00:00Z', 'package.issuedAt', COPY),
    lie('certificate-hash-differs', 'certificateHash', hashText('x')),
    lie('attestation-id-differs', 'attestationId', OTHER_ID),
    lie('runtime-hash-differs', 'nodeRuntimeHash', hashText('x')),
    lie('protocol-differs', 'protocolVersion', '1.3.1'),
    lie('bundle-type-differs', 'bundleType', 'cer.ai.execution.v2'),
    lie('created-at-differs', 'createdAt', '2020-01-01T00:00:00Z', 'package.createdAt'),
    lie(
      'summary-differs',
      'attestation.nodeRuntimeHash',
      hashText('x'),
      'package.attestation.nodeRuntimeHash',
      'An attestation summary is compared on shared names.',
    ),
    lie(
      'summary-differs-in-an-unknown-member',
      'cer.meta.attestation.requestId',
      'another',
      'package.attestation.requestId',
      'An attestation summary is compared on shared names.',
    ),
    lie('receipt-in-the-summary-differs', 'attestation.receipt', otherReceipt),
    lie('receipt-in-the-summary-is-text', 'attestation.receipt', 'x'),
    lie('receipt-flat-in-the-summary', 'attestation.receiptVersion', '1', 'package.attestation.receipt'),
    lie('signature-in-the-summary-differs', 'attestation.signature', 'x'),
    lie('signature-synonym-in-the-summary-differs', 'attestation.signatureB64Url', 'x'),
    [
      'receipt-in-the-attestation-outside-differs',
      AGREE,
      { cer: sealed, ...signed, attestation: { receipt: otherReceipt } },
      fails(INVALID, 'package.attestation.receipt', 'PPFS'),
    ],
    lie('envelope-differs', 'verificationEnvelope.specVersion', '0.16.0', 'package.verificationEnvelope'),
    lie('envelope-signature-differs', 'verificationEnvelopeSignature', 'x'),
    lie(
      'resealed-hash-around-no-reseal',
      'resealedCertificateHash',
      sealed['certificateHash'] ?? null,
      'package.resealedCertificateHash',
      'A label loosens nothing: around anything but a reseal it is a value that differs.',
    ),
    [
      'signature-outside-only',
      'Any part of an attestation without the rest of the receipt is FAIL ATTESTATION_MISSING.',
      { cer: sealed, signature: 'x' },
      fails('ATTESTATION_MISSING', 'meta.attestation.receipt', 'PFFS'),
    ],
    [
      'label-hides-a-forged-receipt',
      'A label loosens nothing: the receipt is checked as any other.',
      labelled,
      fails(INVALID, 'meta.attestation.signature', 'PFFS'),
    ],
    [
      'reseal-label-hides-a-lone-receipt',
      'Any part of an attestation without the rest of the receipt is FAIL ATTESTATION_MISSING.',
      change(change(lookup, 'cer', without(resealed, 'meta')), 'attestation', null),
      fails('ATTESTATION_MISSING', 'meta.attestation.receipt', 'PFFS', { provenance: 'claimed' }),
    ],
    lookupLie('lookup-receipt-differs', 'receipt', { ...object(lookup['receipt']), nodeId: 'another' }),
    lookupLie('lookup-signature-differs', 'signature', 'x'),
    lookupLie('lookup-hash-differs', 'certificateHash', hashText('x')),
    lookupLie('lookup-resealed-hash-differs', 'resealedCertificateHash', hashText('x')),
    lookupLie('lookup-summary-hash-differs', 'attestation.certificateHash', hashText('x')),
    lookupLie('lookup-summary-kid-differs', 'attestation.kid', OTHER.kid),
    lookupLie('lookup-summary-node-differs', 'attestation.nodeId', 'another'),
    lookupLie('lookup-summary-attestation-id-differs', 'attestation.attestationId', OTHER_ID),
    lookupLie('lookup-summary-runtime-differs', 'attestation.nodeRuntimeHash', hashText('x')),
    lookupLie('lookup-summary-protocol-differs', 'attestation.protocolVersion', '1.3.0'),
    lookupLie('lookup-summary-receipt-differs', 'attestation.receipt', {}),
    lookupLie('lookup-summary-receipt-laid-flat', 'attestation.receiptVersion', '1', 'package.attestation.receipt'),
    lookupLie('lookup-summary-signature-differs', 'attestation.signature', 'x'),
    lookupLie('lookup-summary-signature-synonym-differs', 'attestation.signatureB64Url', 'x'),
    lookupLie('lookup-attestation-id-differs', 'attestationId', OTHER_ID),
    lookupLie('lookup-protocol-differs', 'protocolVersion', '1.3.0'),
    [
      'lookup-with-the-original-in-the-attestation',
      'With resealedCertificateHash the receipt and the signature around it are the original’s, wherever they are.',
      change(lookup, 'attestation', { ...object(lookup['attestation']), ...pick(lookup, ['receipt', 'signature']) }),
      passes('PPPS', { provenance: 'proven' }),
    ],
    lookupLie('lookup-attested-at-differs', 'attestedAt', '2020-01-01T00:00:00Z'),
    [
      'lookup-attestation-is-text',
      'meta, and attestation in it or in the package, are objects where a receipt is present.',
      change(lookup, 'cer.meta.attestation', 'x'),
      fails('SCHEMA_ERROR', 'meta.attestation', 'FFFS', { provenance: 'claimed' }),
      { heading: 'Layer 1: integrity' },
    ],
    lookupLie('lookup-node-differs', 'nodeId', 'another'),
    lookupLie('lookup-kid-differs', 'kid', OTHER.kid),
    [
      'lookup-original-forged-in-both-places',
      'The original’s own receipt is signed by the node.',
      change(
        { ...lookup, receipt: forgedOriginal.receipt, signature: 'x', nodeId: 'another' },
        'cer.meta.provenance.original',
        forgedOriginal,
      ),
      fails(INVALID, 'meta.provenance.original.receipt', 'PPFS'),
    ],
    [
      'keys-that-travel-inside',
      'Key sets that travel inside what is being verified are never anchors.',
      { ...saved, keySet: keySet() },
      fails('VERIFICATION_MATERIAL_UNAVAILABLE', 'meta.attestation.receipt', 'PFPF', {
        classification: 'UNVERIFIABLE',
      }),
      { keySet: null, heading: 'Verification' },
    ],
  ]);
}
