import { attest, change, flatRender, hashOnly, keySet, render, seal, v1, type Json } from '../forge.js';
import { fails, group, passes, type CaseLine, type Vector } from '../vector.js';

const HASHES = ['runtimeHash', 'codeHash', 'animationHash', 'posterHash'];
const SUPPLEMENTAL = { supplemental: true, reasonCodes: ['CONTEXT_NOT_PROTECTED'] };

/** Every member that a rule of the types other than executions names. */
export async function otherTypeEdgeCases(): Promise<Vector[]> {
  const receipted = await attest(hashOnly(), { envelope: false, receipt: { scope: 'hash-only' } });
  const attested = change(receipted, 'meta.attestation.protocolVersion', null);
  const flat = flatRender({ bundleType: 'legacy' });
  const OUTSIDE =
    'In a hash-only bundle and a flat record context, contextSummary and policyEvaluation are supplemental.';
  const outside = { heading: 'Supplemental content' };
  const malformed = (path: string, to: Json): CaseLine => [
    `render-${path}-malformed`.toLowerCase(),
    'codeHash, outputHash, imageHash are hashes.',
    seal(change(render(), `snapshot.${path}`, to)),
    fails('INVALID_SHA256_FORMAT', `snapshot.${path}`),
    { heading: 'cer.codemode.render.v1' },
  ];
  return group('type', 'legacy', keySet(), [
    ...HASHES.map((name): CaseLine => [
      `flat-${name}-malformed`.toLowerCase(),
      'Its hash members must have the form of a hash.',
      flatRender({ [name]: 'x' }),
      fails('INVALID_SHA256_FORMAT', name),
    ]),
    [
      'flat-1-3-0',
      'The profile is that of its protocolVersion, which is 1.2.0 or 1.3.0.',
      flatRender({ protocolVersion: '1.3.0' }),
      passes('PSSS', { classification: 'LEGACY_VERIFIED', relaxations: ['flat-render-record'] }),
    ],
    ...['contextSummary', 'policyEvaluation'].flatMap((name): CaseLine[] => [
      [
        `flat-with-${name}`.toLowerCase(),
        OUTSIDE,
        { ...flat, [name]: {} },
        { status: 'VERIFIED', ...SUPPLEMENTAL },
        outside,
      ],
      [
        `hash-only-with-${name}`.toLowerCase(),
        OUTSIDE,
        { ...attested, [name]: {} },
        passes('PPPS', SUPPLEMENTAL),
        outside,
      ],
    ]),
    [
      'unknown-with-signals',
      'An unknown type ends the check of integrity: what it protects is not known.',
      { ...seal(v1()), bundleType: 'cer.ai.execution.v9', signals: [] },
      fails('SCHEMA_ERROR', 'bundleType', 'FSSS', {
        supplemental: false,
        reasonCodes: ['SCHEMA_ERROR', 'SCHEMA_VERSION_UNSUPPORTED'],
      }),
      { heading: 'Layer 1: integrity' },
    ],
    ...(['type', 'executionSurface'] as const).map((name): CaseLine => [
      `legacy-without-${name}`.toLowerCase(),
      'The first shape lacks `type` or `executionSurface`.',
      seal(change({ ...v1(), bundleType: 'legacy' }, `snapshot.${name}`, undefined)),
      {
        ...{ status: 'VERIFIED', classification: 'LEGACY_VERIFIED' },
        relaxations: [name === 'type' ? 'snapshot-type-absent' : 'execution-surface-absent'],
      },
    ]),
    [
      'legacy-with-a-snapshot-and-the-members-of-a-flat-record',
      'A flat render record has no snapshot.',
      seal(change({ ...v1(), ...flat, bundleType: 'legacy' }, 'snapshot.type', undefined)),
      { status: 'VERIFIED', classification: 'LEGACY_VERIFIED', relaxations: ['snapshot-type-absent'] },
    ],
    [
      'flat-called-v1',
      'A flat render record has bundleType `legacy` or none.',
      flatRender({ bundleType: 'cer.ai.execution.v1', version: '0.1' }),
      fails('SCHEMA_ERROR', 'snapshot', 'FSSS', { relaxations: [] }),
    ],
    malformed('codeHash', 'x'),
    malformed('imageHash', 'x'),
    ...[{}, ''].map((vars, place): CaseLine => [
      `render-vars-empty-${place + 1}`,
      'vars is an array of numbers.',
      seal(render({ vars })),
      fails('SCHEMA_ERROR', 'snapshot.vars'),
      { heading: 'cer.codemode.render.v1' },
    ]),
    [
      'render-of-the-largest-size',
      'width and height are positive integers.',
      seal(render({ canvas: { width: 2 ** 53 - 1, height: 1 } })),
      passes('PSSS'),
      { heading: 'cer.codemode.render.v1' },
    ],
    [
      'render-vars-with-true',
      'vars is an array of numbers.',
      seal(render({ vars: [true] })),
      fails('SCHEMA_ERROR', 'snapshot.vars'),
      { heading: 'cer.codemode.render.v1' },
    ],
  ]);
}
