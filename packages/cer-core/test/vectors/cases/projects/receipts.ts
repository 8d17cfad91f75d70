import { at, attest, change, hashText, object, OTHER, pick, type JsonObject } from '../../forge.js';
import type { CaseLine } from '../../vector.js';
import { bad, ok, register } from './project.js';
import type { ProjectSamples } from './samples.js';

export async function receiptDateLines({ good, registered }: ProjectSamples): Promise<CaseLine[]> {
  return [
    [
      'attestation-is-text',
      'meta.attestation is an object.',
      change({ ...registered, ...object(at(registered, 'meta.attestation')) }, 'meta.attestation', 'x'),
      bad('SCHEMA_ERROR', 'meta.attestation', { nodeReceipt: 'FAIL' }),
      { heading: 'Project receipt' },
    ],
    [
      'receipt-changed-to-before-the-life-of-its-key',
      'A signature that the named key did not make comes before the date outside the life of that key.',
      change(registered, 'meta.attestation.receipt.registeredAt', '2019-01-02T03:04:05.678Z'),
      bad('ATTESTATION_INVALID_SIGNATURE', 'meta.attestation.signature', { nodeReceipt: 'FAIL' }),
      { heading: 'Project receipt' },
    ],
    [
      'receipt-signed-before-the-life-of-its-key',
      'A date outside the life of the key.',
      await register(good, { registeredAt: '2019-01-02T03:04:05.678Z' }),
      bad('ATTESTATION_KEY_NOT_FOUND', 'meta.attestation.receipt', { nodeReceipt: 'FAIL' }),
      { heading: 'Project receipt' },
    ],
  ];
}

export async function receiptLines({ one, good, registered }: ProjectSamples): Promise<CaseLine[]> {
  const registeredButReceiptIs = (
    name: string,
    bundle: JsonObject,
    member: string,
    code = 'ATTESTATION_INVALID_SIGNATURE',
  ): CaseLine => [
    name,
    'The project-level node receipt if present.',
    bundle,
    bad(code, member, { nodeReceipt: 'FAIL', steps: ['OK', 'OK'] }),
    { heading: 'Project receipt' },
  ];
  return [
    registeredButReceiptIs(
      'receipt-of-another-project',
      await register(good, { projectHash: hashText('x') }),
      'meta.attestation.receipt.projectHash',
    ),
    registeredButReceiptIs(
      'receipt-of-another-node',
      await register(good, { nodeId: 'another' }),
      'meta.attestation.receipt.nodeId',
    ),
    registeredButReceiptIs(
      'receipt-by-an-unknown-key',
      await register(good, {}, OTHER),
      'meta.attestation.receipt',
      'ATTESTATION_KEY_NOT_FOUND',
    ),
    registeredButReceiptIs(
      'receipt-signature-broken',
      change(registered, 'meta.attestation.signature', 'x'),
      'meta.attestation.signature',
    ),
    registeredButReceiptIs(
      'receipt-of-a-bundle',
      { ...good, meta: (await attest(one, { envelope: false }))['meta'] ?? null },
      'meta.attestation.receipt',
    ),
    registeredButReceiptIs(
      'signature-without-receipt',
      { ...good, signature: 'x' },
      'meta.attestation.receipt',
      'ATTESTATION_MISSING',
    ),
    registeredButReceiptIs(
      'receipt-without-signature',
      { ...good, receipt: at(registered, 'meta.attestation.receipt') },
      'meta.attestation.receipt',
      'ATTESTATION_MISSING',
    ),
    registeredButReceiptIs(
      'attestation-without-its-parts',
      { ...good, meta: { attestation: {} } },
      'meta.attestation.receipt',
      'ATTESTATION_MISSING',
    ),
    [
      'receipt-at-the-top-level-in-a-bundle',
      'The receipt is in meta.attestation or, in a saved response, at the top level.',
      { bundle: { ...good, ...pick(object(at(registered, 'meta.attestation')), ['receipt', 'signature', 'kid']) } },
      ok({ nodeReceipt: 'PASS' }),
      { heading: 'Project receipt' },
    ],
    [
      'receipt-at-the-top-level',
      'The receipt is in meta.attestation or, in a saved response, at the top level.',
      { ...good, ...pick(object(at(registered, 'meta.attestation')), ['receipt', 'signature', 'kid']) },
      ok({ nodeReceipt: 'PASS' }),
      { heading: 'Project receipt' },
    ],
    registeredButReceiptIs(
      'kid-copy-lies',
      change(registered, 'meta.attestation.kid', OTHER.kid),
      'meta.attestation.kid',
    ),
    registeredButReceiptIs(
      'registered-at-copy-lies',
      { ...registered, registeredAt: '2020-01-01T00:00:00Z' },
      'registeredAt',
    ),
    registeredButReceiptIs(
      'second-receipt-differs',
      {
        ...registered,
        receipt: change(object(at(registered, 'meta.attestation.receipt')), 'registeredAt', '2020-01-01T00:00:00Z'),
      },
      'receipt',
    ),
    registeredButReceiptIs(
      'receipt-around-the-project-differs',
      {
        bundle: registered,
        receipt: change(object(at(registered, 'meta.attestation.receipt')), 'registeredAt', '2020-01-01T00:00:00Z'),
      },
      'receipt',
    ),
    registeredButReceiptIs('signature-around-the-project-differs', { bundle: registered, signature: 'x' }, 'signature'),
    registeredButReceiptIs('kid-around-the-project-lies', { bundle: registered, kid: OTHER.kid }, 'kid'),
    registeredButReceiptIs(
      'signature-around-the-project-without-receipt',
      { bundle: good, signature: 'x' },
      'meta.attestation.receipt',
      'ATTESTATION_MISSING',
    ),
    [
      'receipt-around-the-project',
      'Members beside {bundle: project} count as those at the top level of the project.',
      { bundle: good, ...pick(object(at(registered, 'meta.attestation')), ['receipt', 'signature', 'kid']) },
      ok({ nodeReceipt: 'PASS' }),
      { heading: 'Project receipt' },
    ],
    registeredButReceiptIs('second-signature-differs', { ...registered, signature: 'x' }, 'signature'),
    [
      'receipt-without-key-set',
      'No key set given for a signed bundle.',
      registered,
      bad('VERIFICATION_MATERIAL_UNAVAILABLE', 'meta.attestation.receipt', { nodeReceipt: 'FAIL' }),
      { keySet: null, heading: 'Project receipt' },
    ],
  ];
}
