import { attest, change, commitment, hashOf, keySet, seal, v1, type Json } from '../forge.js';
import { fails, group, passes, type CaseLine, type Vector } from '../vector.js';

const INVALID = 'ATTESTATION_INVALID_SIGNATURE';
const ASTRAL = '\u{1F600}';

/** Units and types at their limits, members that bind nothing, and what a fault is reported beside. */
export async function executionEdgeCases(): Promise<Vector[]> {
  const line = (name: string, rule: string, path: string, to: Json, code = 'SCHEMA_ERROR', member = path): CaseLine => [
    name,
    rule,
    seal(change(v1(), path, to)),
    fails(code, member),
  ];
  const OF_UNITS = 'Lengths of text are counted in UTF-16 code units; a label has 1 to 256.';
  const NAMES = 'Names of direct members of snapshot have at most 256 units.';
  const members = { heading: 'Members and their rules' };
  const certified = await attest(seal(v1()));
  const lying = change(certified, 'meta.attestation.protocolVersion', '1.3.0');
  return group('v1', 'cer.ai.execution.v1', keySet(), [
    line('policy-evaluation-is-text', 'policyEvaluation is an object.', 'policyEvaluation', 'x'),
    line('signal-is-text', 'Signals are objects.', 'context', { signals: ['x'] }, 'SCHEMA_ERROR', 'context.signals[0]'),
    line('temperature-is-true', 'temperature is a finite number.', 'snapshot.parameters.temperature', true),
    ['label-of-one-unit', OF_UNITS, seal(v1({ model: 'x' })), passes('PSSS'), members],
    ['label-of-256-units', OF_UNITS, seal(v1({ model: ASTRAL.repeat(128) })), passes('PSSS'), members],
    [
      'label-of-257-units',
      OF_UNITS,
      seal(v1({ model: `${ASTRAL.repeat(128)}x` })),
      fails('SCHEMA_ERROR', 'snapshot.model'),
      members,
    ],
    ['name-of-256-units', NAMES, seal(v1({ [ASTRAL.repeat(128)]: 1 })), passes('PSSS'), members],
    [
      'name-of-257-units',
      NAMES,
      seal(v1({ [`${ASTRAL.repeat(128)}x`]: 1 })),
      fails('SCHEMA_KEY_INVALID', `snapshot["${ASTRAL.repeat(32)}…"]`),
      members,
    ],
    [
      'protected-set-binds-nothing',
      'Not hashed: any top-level member that this document does not name; only a v2 bundle hashes protectedSet.',
      { ...seal(v1()), protectedSet: '[REDACTED]' },
      passes('PSSS', { contentMode: null, provenance: null }),
      { heading: 'Hash scope' },
    ],
    [
      'redacted-text-outside-the-hash',
      '"[REDACTED]" outside the hash scope changes nothing.',
      { ...certified, protectedSet: '[REDACTED]', declaration: { a: '[REDACTED]' } },
      passes('PPPP', { supplemental: true, reasonCodes: ['CONTEXT_NOT_PROTECTED'] }),
      { heading: 'Layer 3: envelope' },
    ],
    [
      'sealed-values-under-1-3-0',
      'Only under 1.3.1 are input and output sealed.',
      await attest(
        seal(
          v1({
            ...{ protocolVersion: '1.3.0', input: commitment('input'), output: commitment('output') },
            ...{ inputHash: hashOf(commitment('input')), outputHash: hashOf(commitment('output')) },
          }),
        ),
      ),
      passes('PPPP', { contentMode: null }),
      { heading: 'Protocol versions' },
    ],
    [
      'malformed-hash-is-the-one-fault',
      'INVALID_SHA256_FORMAT: certificateHash is absent or malformed.',
      { ...seal(v1()), certificateHash: 'x' },
      fails('INVALID_SHA256_FORMAT', 'certificateHash', 'FSSS', { reasonCodes: ['INVALID_SHA256_FORMAT'] }),
      { heading: 'Verification codes' },
    ],
    [
      'supplemental-beside-a-fault',
      'reasonCodes has every code found and, with any status, CONTEXT_NOT_PROTECTED for supplemental content.',
      { ...change(seal(v1()), 'snapshot.model', 'other'), signals: [] },
      fails('CERTIFICATE_HASH_MISMATCH', 'certificateHash', 'FSSS', {
        supplemental: true,
        reasonCodes: ['CERTIFICATE_HASH_MISMATCH', 'CONTEXT_NOT_PROTECTED'],
      }),
      { heading: 'Verification report' },
    ],
    [
      'without-a-canonical-form',
      'A value that has no canonical form is CANONICALIZATION_ERROR; there is no hash to compare.',
      { ...seal(v1()), ...v1({ protocolVersion: '1.3.0', note: '\ud800' }) },
      fails('CANONICALIZATION_ERROR', 'snapshot.note', 'FSSS', { reasonCodes: ['CANONICALIZATION_ERROR'] }),
      { heading: 'Canonicalization profiles' },
    ],
    [
      'item-without-a-canonical-form',
      'A path is written `a.b[3]["odd name"]`.',
      { ...seal(v1()), ...v1({ protocolVersion: '1.3.0', note: [{ 'odd name': [0, '\ud800'] }] }) },
      fails('CANONICALIZATION_ERROR', 'snapshot.note[0]["odd name"][1]'),
      { heading: 'Strict JSON' },
    ],
    [
      'numbers-with-an-exponent-and-two-digits',
      'Numbers in ECMAScript’s shortest form.',
      seal(v1({ parameters: { a: 1.2e22, b: 1.5e-9, c: -2.5e-7, d: 12e21, e: 5e-324, f: 0.000001 } })),
      passes('PSSS'),
      { heading: 'Canonicalization profiles' },
    ],
    [
      'copy-of-the-protocol-differs',
      'Where layer 3 has an envelope and its signature to check, it checks the copy of `protocolVersion`.',
      lying,
      fails(INVALID, 'meta.verificationEnvelope.attestation.protocolVersion', 'PPPF'),
      { heading: 'Attestation' },
    ],
    [
      'changed-content-beside-a-copy-of-the-protocol',
      'Where layer 3 has an envelope and its signature to check, it checks the copy of `protocolVersion`.',
      change(lying, 'snapshot.model', 'other'),
      fails('CERTIFICATE_HASH_MISMATCH', 'certificateHash', 'FPPF'),
      { heading: 'Attestation' },
    ],
  ]);
}
