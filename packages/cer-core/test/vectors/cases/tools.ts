import {
  change,
  commitment,
  confidential,
  hashOf,
  hashText,
  keySet,
  seal,
  TIME,
  v1,
  type Json,
  type JsonObject,
} from '../forge.js';
import { fails, group, passes, type CaseLine, type Vector } from '../vector.js';

const call = (members: JsonObject): JsonObject => ({ toolId: 'search', at: TIME, ...members });
const GOOD = call({
  input: 'query',
  inputHash: hashText('query'),
  output: { hits: 2 },
  outputHash: hashOf({ hits: 2 }),
});
const withCalls = (toolCalls: Json): JsonObject => seal(v1({ toolCalls }));
const bad = (name: string, rule: string, toolCalls: Json, code: string, member: string): CaseLine => [
  name,
  rule,
  withCalls(toolCalls),
  fails(code, member),
];
const first = 'snapshot.toolCalls[0]';

export function toolCases(): Vector[] {
  return group('tools', 'Tool calls', keySet(), [
    bad('call-is-null', 'toolCalls is an array of objects.', [null], 'SCHEMA_ERROR', first),
    ['evidence-in-full', 'Raw tool values beside a hash hash to it.', withCalls([GOOD]), passes('PSSS')],
    [
      'hashes-only',
      'A call has output or outputHash.',
      withCalls([call({ outputHash: hashText('x') })]),
      passes('PSSS'),
    ],
    ['output-only', 'A call has output or outputHash.', withCalls([call({ output: 'x' })]), passes('PSSS')],
    bad(
      'evidence-missing',
      'Neither output nor outputHash: TOOL_EVIDENCE_MISSING.',
      [GOOD, call({ input: 'query' })],
      'TOOL_EVIDENCE_MISSING',
      'snapshot.toolCalls[1]',
    ),
    bad(
      'output-mismatch',
      'Raw output that does not hash to it: TOOL_OUTPUT_HASH_MISMATCH.',
      [call({ output: 'x', outputHash: hashText('y') })],
      'TOOL_OUTPUT_HASH_MISMATCH',
      `${first}.outputHash`,
    ),
    bad(
      'output-is-the-redaction-literal',
      'Only in a reseal does the literal represent a removed value.',
      [call({ output: '[REDACTED]', outputHash: hashText('y') })],
      'TOOL_OUTPUT_HASH_MISMATCH',
      `${first}.outputHash`,
    ),
    bad(
      'input-mismatch',
      'Raw tool input that does not hash to its hash is INPUT_HASH_MISMATCH.',
      [call({ input: 'x', inputHash: hashText('y'), outputHash: hashText('z') })],
      'INPUT_HASH_MISMATCH',
      `${first}.inputHash`,
    ),
    bad(
      'input-before-output',
      'INPUT_HASH_MISMATCH before TOOL_OUTPUT_HASH_MISMATCH.',
      [call({ output: 'x', outputHash: hashText('y') }), call({ input: 'x', inputHash: hashText('y'), output: 'z' })],
      'INPUT_HASH_MISMATCH',
      'snapshot.toolCalls[1].inputHash',
    ),
    bad(
      'output-hash-malformed',
      'A hash has the form of a hash.',
      [call({ outputHash: 'x' })],
      'INVALID_SHA256_FORMAT',
      `${first}.outputHash`,
    ),
    bad(
      'output-string-not-well-formed',
      'A string hashed as bytes must be well-formed Unicode.',
      [call({ output: '\ud800', outputHash: hashText('y') })],
      'CANONICALIZATION_ERROR',
      `${first}.output`,
    ),
    [
      'output-only-not-well-formed',
      'Only a string that is hashed as bytes must be well-formed Unicode.',
      withCalls([call({ output: '\ud800' })]),
      passes('PSSS'),
    ],
    [
      'output-not-well-formed-beside-another-mismatch',
      'The reasons have every code found.',
      withCalls([
        call({ output: '\ud800', outputHash: hashText('y') }),
        call({ output: 'x', outputHash: hashText('y') }),
      ]),
      fails('CANONICALIZATION_ERROR', `${first}.output`, 'FSSS', {
        reasonCodes: ['CANONICALIZATION_ERROR', 'TOOL_OUTPUT_HASH_MISMATCH'],
      }),
      { heading: 'Verification report' },
    ],
    bad('tool-id-missing', 'A call has toolId and at.', [{ at: TIME, output: 'x' }], 'SCHEMA_ERROR', `${first}.toolId`),
    [
      'fault-of-form-before-evidence-and-hashes',
      'Values and evidence are checked in a bundle of the right form.',
      withCalls([{ at: TIME }, call({ output: 'x', outputHash: hashText('y') })]),
      fails('SCHEMA_ERROR', `${first}.toolId`, 'FSSS', { reasonCodes: ['SCHEMA_ERROR'] }),
    ],
    [
      'fault-of-form-before-a-text-without-form',
      'Values and evidence are checked in a bundle of the right form.',
      withCalls([{ at: TIME, output: '\ud800', outputHash: hashText('y') }]),
      fails('SCHEMA_ERROR', `${first}.toolId`, 'FSSS', { reasonCodes: ['SCHEMA_ERROR'] }),
    ],
    bad(
      'time-malformed',
      'A call has toolId and at.',
      [{ toolId: 'a', at: 'now', output: 'x' }],
      'SCHEMA_ERROR',
      `${first}.at`,
    ),
    bad(
      'output-number',
      'A raw value is a string, an object or an array.',
      [call({ output: 7 })],
      'SCHEMA_ERROR',
      `${first}.output`,
    ),
    bad('calls-object', 'toolCalls is an array.', {}, 'SCHEMA_ERROR', 'snapshot.toolCalls'),
    bad('call-string', 'A call is an object.', ['x'], 'SCHEMA_ERROR', first),
    [
      'previous-step-malformed',
      'A hash has the form of a hash.',
      seal(v1({ prevStepHash: 'sha256:0' })),
      fails('INVALID_SHA256_FORMAT', 'snapshot.prevStepHash'),
    ],
    [
      'raw-under-1-3-1',
      'Under 1.3.1 raw tool values are refused.',
      seal(confidential({ toolCalls: [GOOD] })),
      fails('SCHEMA_ERROR', `${first}.input`),
    ],
    [
      'redaction-literal-under-1-3-1',
      'Only in a reseal does the literal represent a removed value.',
      seal(confidential({ toolCalls: [call({ output: '[REDACTED]' })] })),
      fails('SCHEMA_ERROR', `${first}.output`),
    ],
    [
      'hashes-under-1-3-1',
      'Under 1.3.1 tool values are hashes.',
      seal(confidential({ input: commitment('input'), toolCalls: [call({ outputHash: hashText('x') })] })),
      passes('PSSS', { contentMode: 'HASH_BOUND' }),
    ],
    [
      'evidence-missing-and-content-changed',
      'CERTIFICATE_HASH_MISMATCH before TOOL_EVIDENCE_MISSING.',
      change(withCalls([call({})]), 'snapshot.model', 'other'),
      fails('CERTIFICATE_HASH_MISMATCH', 'certificateHash'),
    ],
  ]);
}
