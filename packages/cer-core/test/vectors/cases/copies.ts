import {
  ACTIVE,
  at,
  attest,
  ATTESTATION_ID,
  change,
  hashText,
  keySet,
  olderReceipt,
  reseal,
  RUNTIME_HASH,
  seal,
  sealV2,
  sign,
  v1,
  v2,
  type Json,
  type JsonObject,
} from '../forge.js';
import { fails, group, passes, type CaseLine, type Vector } from '../vector.js';

const INVALID = 'ATTESTATION_INVALID_SIGNATURE';
const OTHER_ID = '99999999-2222-4333-8444-555555555555';

/** Unsigned copies of signed values in `meta.attestation` and in the package around it. */
export async function copyCases(): Promise<Vector[]> {
  const receipted = await attest(seal(v1()), { envelope: false });
  const resealed = await reseal(v1({ prompt: '[REDACTED]' }));
  const older = olderReceipt(receipted['certificateHash'] ?? null);
  const byOlder = { ...seal(v1()), meta: { attestation: { receipt: older, signature: await sign(ACTIVE, older) } } };
  const enveloped = change(await attest(seal(v1())), 'meta.attestation', at(byOlder, 'meta.attestation'));
  const COPY = 'Every unsigned copy that is present must equal the signed value, otherwise the receipt fails.';
  const lie = (name: string, bundle: JsonObject, copy: string, to: Json, more: JsonObject = {}): CaseLine => [
    name,
    COPY,
    change(bundle, `meta.attestation.${copy}`, to),
    fails(INVALID, `meta.attestation.${copy}`, 'PPFS', more),
  ];
  const CLAIMED = { provenance: 'claimed' };
  return group('copies', 'Attestation', keySet(), [
    lie('kid-is-a-number', receipted, 'kid', 7),
    lie('issued-at-is-an-object', receipted, 'issuedAt', {}),
    lie('original-hash-of-a-reseal', resealed, 'originalCertificateHash', hashText('x'), CLAIMED),
    lie('policy-of-a-reseal', resealed, 'redactionPolicy', 'none', CLAIMED),
    lie('attestation-id-of-an-older-receipt', byOlder, 'attestationId', OTHER_ID),
    lie('runtime-of-an-older-receipt', byOlder, 'nodeRuntimeHash', hashText('x')),
    [
      'protocol-of-an-older-receipt-beside-an-envelope',
      'Where layer 3 has an envelope and its signature to check, it checks the copy of `protocolVersion`.',
      change(enveloped, 'meta.attestation.protocolVersion', '1.3.0'),
      fails(INVALID, 'meta.verificationEnvelope.attestation.protocolVersion', 'PPPF'),
    ],
    lie('protocol-of-an-older-receipt', byOlder, 'protocolVersion', '1.3.0'),
    [
      'of-an-older-receipt',
      COPY,
      change(
        change(byOlder, 'meta.attestation.attestationId', ATTESTATION_ID),
        'meta.attestation.nodeRuntimeHash',
        RUNTIME_HASH,
      ),
      passes('PPPS'),
    ],
    [
      'timestamp-of-a-summary-differs',
      'An attestation summary is compared with meta.attestation on the names that both have, except `timestamp`.',
      { cer: receipted, attestation: { timestamp: { type: 'other' } } },
      passes('PPPS'),
      { heading: 'Packages' },
    ],
    [
      'protocol-beside-a-mistyped-one',
      'An unknown protocol ends the check of integrity; a mistyped one has no copy.',
      await attest(seal(v1({ protocolVersion: 7 })), { envelope: false }).then((bundle) =>
        change(bundle, 'meta.attestation.protocolVersion', '1.2.0'),
      ),
      fails('SCHEMA_ERROR', 'snapshot.protocolVersion', 'FPPS'),
      { heading: 'Layer 1: integrity' },
    ],
    [
      'label-of-an-older-reseal-on-v2',
      'Bundles of older nodes that are read as reseals have bundleType v1.',
      await attest(sealV2(v2({ modelVersion: '[REDACTED]' })), { envelope: false }).then((bundle) =>
        change(bundle, 'meta.attestation.mode', 'redacted_reseal'),
      ),
      passes('PPPS', { provenance: null }),
      { heading: 'signed-redacted-reseal' },
    ],
  ]);
}
