// A proof of the log's vectors with one place edited, or under another policy, with the outcome that follows from
// "Log proofs" and from the formats of C2SP that it names.

const MALFORMED = 'LOG_PROOF_MALFORMED';
const INCLUSION = 'LOG_INCLUSION_INVALID';
const SIGNATURE = 'LOG_SIGNATURE_INVALID';
const UNKNOWN = 'LOG_UNKNOWN';
const QUORUM = 'LOG_QUORUM_NOT_MET';
const INCLUDED = 'included';

/**
 * @param proofs the rows of proofs.json
 * @param policy the text of policy.txt
 * @returns {{name: string, rule: string, proof: string, policy: string, row: object, outcome: string}[]}
 */
export function editedProofs(proofs, policy) {
  const rowOf = (form) => proofs.find((row) => row.expect === INCLUDED && row.form === form);
  const [row, owned] = [rowOf('public'), rowOf('owner')];
  return [
    ...edits(partsOf(row.proof)).map((edit) => caseOf(edit, row, policy)),
    ...openings(openingOf(owned.proof)).map(([name, rule, outcome, opening]) =>
      caseOf([name, rule, outcome, { ...partsOf(owned.proof), extra: extraOf(opening) }], owned, policy),
    ),
    ...policies(policy).map(([name, rule, outcome, text]) =>
      caseOf([name, rule, outcome, partsOf(row.proof)], row, text),
    ),
  ];
}

function caseOf([name, rule, outcome, proof], row, policy) {
  return { name, rule, outcome, row, policy, proof: typeof proof === 'string' ? proof : textOf(proof) };
}

/** The lines of a tlog-proof by what they are. */
function partsOf(text) {
  const lines = text.split('\n');
  const blank = lines.indexOf('');
  const [header, extra, index, ...path] = lines.slice(0, blank);
  const [origin, size, root, , ...signatures] = lines.slice(blank + 1, -1);
  return { header, extra, index, path, origin, size, root, signatures };
}

function textOf({ header, extra, index, path, origin, size, root, signatures }) {
  return [header, extra, index, ...path, '', origin, size, root, '', ...signatures, ''].join('\n');
}

const base64 = (bytes) => Buffer.from(bytes).toString('base64');
const signatureLine = (name, bytes) => `— ${name} ${base64(bytes)}`;
const unknownLines = (count) =>
  Array.from({ length: count }, (_, index) => signatureLine(`x${index}.example`, Buffer.alloc(68, index + 1)));

/** A cosignature of another time: its eight bytes come after the id of the key. */
function atTime(line, seconds) {
  const [dash, name, text] = line.split(' ');
  const bytes = Buffer.from(text, 'base64');
  bytes.writeBigUInt64BE(seconds, 4);
  return [dash, name, base64(bytes)].join(' ');
}

/** A signature of other bytes, made by `change`. */
function withBytes(line, change) {
  const [dash, name, text] = line.split(' ');
  return [dash, name, base64(change(Buffer.from(text, 'base64')))].join(' ');
}

function edits(parts) {
  const text = textOf(parts);
  const { path, signatures, extra, root } = parts;
  const [logLine, ...witnessLines] = signatures;
  const [first, ...others] = witnessLines;
  const FORM = 'The form of a tlog-proof.';
  const NOTE = 'The form of a signed note.';
  const NUMBER = 'Numbers are decimal, without leading zeros, up to 2^53-1.';
  const HASH = 'Hashes are 32 bytes in strict base64.';
  const withSignatures = (...lines) => ({ ...parts, signatures: lines });
  return [
    ['carriage-returns', NOTE, MALFORMED, text.replaceAll('\n', '\r\n')],
    ['no-final-newline', NOTE, MALFORMED, text.slice(0, -1)],
    ['second-final-newline', NOTE, MALFORMED, `${text}\n`],
    ['control-character', NOTE, MALFORMED, { ...parts, origin: `${parts.origin}\x7f` }],
    ['header-of-version-2', FORM, MALFORMED, { ...parts, header: parts.header.replace('@v1', '@v2') }],
    ['no-extra', 'extra is an opening.', MALFORMED, text.replace(`${extra}\n`, '')],
    ['extra-twice', FORM, MALFORMED, { ...parts, extra: `${extra}\n${extra}` }],
    ['extra-without-padding', 'Base64 is strict.', MALFORMED, { ...parts, extra: extra.replace(/=+$/, '') }],
    ['no-index', FORM, MALFORMED, text.replace(`${parts.index}\n`, '')],
    ...['00', '-0', '+0', '0x0', '1e0', '9007199254740992'].map((index) => [
      `index-${index}`,
      NUMBER,
      MALFORMED,
      { ...parts, index: `index ${index}` },
    ]),
    ['index-of-the-size', 'The leaf is at this place.', INCLUSION, { ...parts, index: `index ${parts.size}` }],
    ['index-of-another', 'The leaf is at this place.', INCLUSION, { ...parts, index: 'index 1' }],
    ['path-too-short', 'The leaf is at this place.', INCLUSION, { ...parts, path: path.slice(1) }],
    ['path-too-long', 'The leaf is at this place.', INCLUSION, { ...parts, path: [...path, path[0]] }],
    ['path-in-another-order', 'The leaf is at this place.', INCLUSION, { ...parts, path: path.toReversed() }],
    ['path-of-31-bytes', HASH, MALFORMED, { ...parts, path: [base64(Buffer.alloc(31)), ...path.slice(1)] }],
    ['path-without-padding', HASH, MALFORMED, { ...parts, path: path.map((hash) => hash.replace(/=+$/, '')) }],
    ['path-of-64-hashes', FORM, MALFORMED, { ...parts, path: Array(64).fill(path[0]) }],
    ['origin-of-another-log', 'The policy names the log.', UNKNOWN, { ...parts, origin: 'other.example/log' }],
    ['origin-of-the-epochs', 'The policy names the log.', UNKNOWN, { ...parts, origin: `${parts.origin}/epochs` }],
    ['origin-empty', NOTE, MALFORMED, { ...parts, origin: '' }],
    ...['0', `0${parts.size}`, '-1', '', '9007199254740992'].map((size) => [
      `size-${size === '' ? 'absent' : size}`,
      NUMBER,
      MALFORMED,
      { ...parts, size },
    ]),
    ['size-of-another', 'A line of a key of the policy verifies.', SIGNATURE, { ...parts, size: '257' }],
    ['root-of-another', 'A line of a key of the policy verifies.', SIGNATURE, { ...parts, root: path[0] }],
    ['root-of-31-bytes', HASH, MALFORMED, { ...parts, root: base64(Buffer.alloc(31)) }],
    ['extension-line', 'A checkpoint has three lines.', MALFORMED, { ...parts, root: `${root}\nextension` }],
    ['no-signatures', NOTE, MALFORMED, withSignatures()],
    ['log-does-not-sign', 'The log signs its checkpoint.', UNKNOWN, withSignatures(...witnessLines)],
    [
      'hyphen',
      'A signature line begins with an em dash.',
      MALFORMED,
      withSignatures(logLine.replace('—', '-'), ...witnessLines),
    ],
    ['three-words', NOTE, MALFORMED, withSignatures(...signatures, signatureLine('a b', Buffer.alloc(68)))],
    ['name-with-a-plus', NOTE, MALFORMED, withSignatures(...signatures, signatureLine('a+b', Buffer.alloc(68)))],
    ['signature-of-four-bytes', NOTE, MALFORMED, withSignatures(...signatures, signatureLine('x', Buffer.alloc(4)))],
    ['signature-no-base64', NOTE, MALFORMED, withSignatures(...signatures, '— x.example @@@@@@@@')],
    ['blank-line-between-signatures', NOTE, MALFORMED, withSignatures(logLine, '', ...witnessLines)],
    [
      '64-lines',
      'A note has at most 64 signatures.',
      INCLUDED,
      withSignatures(...unknownLines(64 - signatures.length), ...signatures),
    ],
    [
      '65-lines',
      'A note has at most 64 signatures.',
      MALFORMED,
      withSignatures(...unknownLines(65 - signatures.length), ...signatures),
    ],
    [
      'unknown-key-of-a-known-name',
      'Lines of unknown keys are ignored.',
      INCLUDED,
      withSignatures(...signatures, signatureLine(parts.origin, Buffer.alloc(68, 3))),
    ],
    [
      'witnesses-before-the-log',
      'The order of the lines does not count.',
      INCLUDED,
      withSignatures(...signatures.toReversed()),
    ],
    ['one-witness', 'The quorum is met.', QUORUM, withSignatures(logLine, first)],
    ['one-witness-twice', 'A key counts once.', QUORUM, withSignatures(logLine, first, first)],
    [
      'log-signature-too-short',
      'A line of a known key that fails spoils the note.',
      SIGNATURE,
      withSignatures(
        withBytes(logLine, (bytes) => bytes.subarray(0, -1)),
        ...witnessLines,
      ),
    ],
    [
      'cosignature-too-short',
      'A line of a known key that fails spoils the note.',
      SIGNATURE,
      withSignatures(
        logLine,
        withBytes(first, (bytes) => bytes.subarray(0, -1)),
        ...others,
      ),
    ],
    [
      'cosignature-too-long',
      'A line of a known key that fails spoils the note.',
      SIGNATURE,
      withSignatures(
        logLine,
        withBytes(first, (bytes) => Buffer.concat([bytes, bytes.subarray(0, 1)])),
        ...others,
      ),
    ],
    [
      'cosignature-of-another-time',
      'A cosignature signs its time.',
      SIGNATURE,
      withSignatures(logLine, atTime(first, 1n), ...others),
    ],
    [
      'cosignature-after-9999',
      'No time is after the year 9999.',
      SIGNATURE,
      withSignatures(logLine, atTime(first, 253_402_300_800n), ...others),
    ],
  ].map(([name, ...rest]) => [outcomeName(name, rest[1]), ...rest]);
}

function outcomeName(name, outcome) {
  return outcome === INCLUDED ? name : `${name}_fail`;
}

function openingOf(proof) {
  return JSON.parse(Buffer.from(partsOf(proof).extra.slice('extra '.length), 'base64').toString());
}

/** An opening, in JCS form where it is no text. */
function extraOf(opening) {
  return `extra ${base64(typeof opening === 'string' ? opening : JSON.stringify(sorted(opening)))}`;
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((name) => [name, sorted(value[name])]),
  );
}

function openings(opening) {
  const FORM = 'The opening of a leaf has exactly its members.';
  const { label } = opening;
  const withLabel = (members) => ({ ...opening, label: { ...label, ...members } });
  const { at: _at, ...withoutTime } = label;
  return [
    ['not-json', 'extra is base64 of the JCS opening.', MALFORMED, '{'],
    ['spaces', 'extra is base64 of the JCS opening.', MALFORMED, JSON.stringify(sorted(opening), null, 1)],
    ['null', FORM, MALFORMED, 'null'],
    ['further-member', FORM, MALFORMED, { ...opening, zz: 1 }],
    ['type-of-version-2', FORM, MALFORMED, { ...opening, type: 'svc.log-leaf.v2' }],
    ['salt-of-31-bytes', FORM, MALFORMED, { ...opening, receiptSalt: Buffer.alloc(31, 7).toString('base64url') }],
    ['salt-with-padding', FORM, MALFORMED, { ...opening, receiptSalt: `${opening.receiptSalt}=` }],
    [
      'salt-of-another',
      'The leaf is at this place.',
      INCLUSION,
      { ...opening, receiptSalt: Buffer.alloc(32, 7).toString('base64url') },
    ],
    ['erased', 'The opening shows the receipt.', MALFORMED, { leafHash: label.tenant, type: opening.type }],
    ['label-null', FORM, MALFORMED, { ...opening, label: null }],
    ['label-without-a-time', FORM, MALFORMED, { ...opening, label: withoutTime }],
    ['label-further-member', FORM, MALFORMED, withLabel({ zz: 1 })],
    ['label-number-zero', FORM, MALFORMED, withLabel({ number: 0 })],
    ['label-number-fraction', FORM, MALFORMED, withLabel({ number: 1.5 })],
    ['label-number-text', FORM, MALFORMED, withLabel({ number: '1' })],
    ['label-number-beyond', FORM, MALFORMED, withLabel({ number: 2 ** 53 })],
    ['label-kind-unknown', FORM, MALFORMED, withLabel({ kind: 'thing' })],
    ['label-tenant-no-hash', FORM, MALFORMED, withLabel({ tenant: 'x' })],
    ['label-app-number', FORM, MALFORMED, withLabel({ appId: 1 })],
    ['label-deletes-of-a-certificate', FORM, MALFORMED, withLabel({ deletes: [[1, 1]] })],
    ['label-of-another-app', 'The leaf commits to the label.', INCLUSION, withLabel({ appId: 'other' })],
  ].map(([name, rule, outcome, edited]) => [`opening-${name}_fail`, rule, outcome, edited]);
}

function policies(policy) {
  const RULE = 'The policy is a tlog-policy.';
  const keys = policy.replace(/^(group|quorum) .*\n/gm, '');
  return [
    ['comments', RULE, INCLUDED, `# a\n\n  \n${policy}`],
    ['tabs', RULE, INCLUDED, policy.replace(/^(group|quorum) .*$/gm, (line) => line.replaceAll(' ', '\t'))],
    ['no-witnesses', RULE, INCLUDED, `${keys}quorum none\n`],
    ['any', RULE, INCLUDED, `${keys}group g any w1 w2 w3\nquorum g\n`],
    ['all', RULE, QUORUM, `${keys}group g all w1 w2 w3\nquorum g\n`],
    ['three-of-three', RULE, QUORUM, `${keys}group g 3 w1 w2 w3\nquorum g\n`],
    ['one-that-cosigned', RULE, INCLUDED, `${keys}quorum w1\n`],
    ['one-that-did-not', RULE, QUORUM, `${keys}quorum w3\n`],
    ['group-in-a-group', RULE, INCLUDED, `${keys}group a 2 w1 w2\ngroup b any a w3\nquorum b\n`],
    ['group-in-a-group-of-all', RULE, QUORUM, `${keys}group a any w1 w2\ngroup b all a w3\nquorum b\n`],
    ['without-this-log', 'The policy names the log.', UNKNOWN, policy.replace(/^log .*\n/m, '')],
  ].map(([name, rule, outcome, text]) => [outcomeName(`policy-${name}`, outcome), rule, outcome, text]);
}
