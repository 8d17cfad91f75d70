// Tokens changed where no signature covers them: the rules of DER, and those of the parts that are not signed.
import { read, write } from '../der.mjs';

const DER = 'A token is DER, in every part: each value has its one form.';
const PARTS = 'A member of another type, out of order or further is a fault.';
const LIMITS = 'A token has no more levels, elements and certificates than a token needs.';
const bytes = (...numbers) => ({ tag: 0, raw: Buffer.from(numbers) });
const raw = (buffer) => ({ tag: 0, raw: buffer });
const sequence = (...members) => ({ tag: 0x30, members });

/**
 * @param {Buffer} token one that is verified
 * @returns {[id: string, rule: string, isVerified: boolean, token: Buffer][]}
 */
export function tokenForms(token) {
  const edited = (edit) => {
    const whole = read(token);
    const [kind, holder] = whole.members;
    const data = holder.members[0];
    const [version, digests, content, certificates, signers] = data.members;
    edit({ whole, kind, holder, data, version, digests, content, certificates, signers, signer: signers.members[0] });
    return write(whole);
  };
  /** With an attribute that is not signed: its values may be of any type, and nothing reads them. */
  const holding = (...values) =>
    edited(({ signer }) => {
      const attribute = sequence({ tag: 6, content: Buffer.of(0x2a, 3) }, { tag: 0x31, members: values });
      signer.members.push({ tag: 0xa1, members: [attribute] });
    });
  return [...forms(holding), ...limits(token, holding, edited), ...parts(edited)];
}

function forms(holding) {
  return [
    ['nothing', true, []],
    ['true', true, [bytes(1, 1, 0xff)]],
    ['false', true, [bytes(1, 1, 0)]],
    ['truth-of-one', false, [bytes(1, 1, 1)]],
    ['truth-of-two-bytes', false, [bytes(1, 2, 0xff, 0xff)]],
    ['truth-of-no-byte', false, [bytes(1, 0)]],
    ['number-0', true, [bytes(2, 1, 0)]],
    ['number-128', true, [bytes(2, 2, 0, 0x80)]],
    ['number-128-below-zero', true, [bytes(2, 1, 0x80)]],
    ['number-129-below-zero', true, [bytes(2, 2, 0xff, 0x7f)]],
    ['number-127-padded', false, [bytes(2, 2, 0, 0x7f)]],
    ['number-128-below-zero-padded', false, [bytes(2, 2, 0xff, 0x80)]],
    ['number-of-no-byte', false, [bytes(2, 0)]],
    ['bits', true, [bytes(3, 2, 7, 0x80)]],
    ['bits-of-none', true, [bytes(3, 1, 0)]],
    ['bits-with-8-unused', false, [bytes(3, 2, 8, 0)]],
    ['bits-with-1-unused-of-none', false, [bytes(3, 1, 1)]],
    ['bits-of-no-byte', false, [bytes(3, 0)]],
    ['null', true, [bytes(5, 0)]],
    ['null-with-a-byte', false, [bytes(5, 1, 0)]],
    ['identifier', true, [bytes(6, 3, 0x55, 0x81, 0)]],
    ['identifier-padded', false, [bytes(6, 3, 0x55, 0x80, 1)]],
    ['identifier-padded-at-its-start', false, [bytes(6, 2, 0x80, 0x55)]],
    ['identifier-cut', false, [bytes(6, 2, 0x55, 0x81)]],
    ['identifier-of-no-byte', false, [bytes(6, 0)]],
    ['octets-in-pieces', false, [bytes(0x24, 3, 4, 1, 1)]],
    ['text-in-pieces', false, [bytes(0x2c, 3, 0x0c, 1, 0x61)]],
    ['context-in-pieces', true, [bytes(0xa5, 2, 5, 0)]],
    ['tag-30', true, [bytes(0x9e, 0)]],
    ['tag-of-two-bytes', false, [bytes(0x9f, 0x1f, 0)]],
    ['length-of-127', true, [raw(Buffer.concat([Buffer.of(4, 127), Buffer.alloc(127)]))]],
    ['length-of-128', true, [raw(Buffer.concat([Buffer.of(4, 0x81, 128), Buffer.alloc(128)]))]],
    ['length-of-127-in-two-bytes', false, [raw(Buffer.concat([Buffer.of(4, 0x81, 127), Buffer.alloc(127)]))]],
    ['length-of-255-in-two-bytes', true, [raw(Buffer.concat([Buffer.of(4, 0x81, 255), Buffer.alloc(255)]))]],
    ['length-of-255-in-three-bytes', false, [raw(Buffer.concat([Buffer.of(4, 0x82, 0, 255), Buffer.alloc(255)]))]],
    ['length-of-256-in-three-bytes', true, [raw(Buffer.concat([Buffer.of(4, 0x82, 1, 0), Buffer.alloc(256)]))]],
    ['length-of-256-in-six-bytes', false, [raw(Buffer.concat([Buffer.of(4, 0x85, 0, 0, 0, 1, 0), Buffer.alloc(256)]))]],
    ['length-indefinite', false, [bytes(0x30, 0x80, 0, 0)]],
    ['length-beyond-its-parent', false, [bytes(4, 2, 0)]],
    ['length-cut', false, [bytes(4)]],
    ['length-of-several-bytes-cut', false, [bytes(4, 0x82, 1)]],
  ].map(([name, isVerified, members]) => [`der-${name}`, DER, isVerified, holding(...members)]);
}

const LEVELS = 24;
const ELEMENTS = 8000;
const CERTIFICATES = 16;

function limits(token, holding, edited) {
  const nested = (levels) => (levels === 0 ? [] : [sequence(...nested(levels - 1))]);
  const countOf = ({ members = [] }) => members.reduce((sum, member) => sum + countOf(member), 1);
  // The attribute, its name and its values, and the attributes that are not signed.
  const left = ELEMENTS - countOf(read(token)) - 4;
  const nulls = (count) => holding(raw(Buffer.alloc(2 * count, Buffer.of(5, 0))));
  const certified = (count) =>
    edited(({ certificates: { members } }) => {
      while (members.length < count) members.push(members[0]);
    });
  return [
    ['24-levels', true, holding(...nested(LEVELS - 8))],
    ['25-levels', false, holding(...nested(LEVELS - 7))],
    ['8000-elements', true, nulls(left)],
    ['8001-elements', false, nulls(left + 1)],
    ['16-certificates', true, certified(CERTIFICATES)],
    ['17-certificates', false, certified(CERTIFICATES + 1)],
  ].map(([name, isVerified, made]) => [`limit-${name}`, LIMITS, isVerified, made]);
}

function parts(edited) {
  const NULL = { tag: 5, content: Buffer.alloc(0) };
  const number = (value) => ({ tag: 2, content: Buffer.of(value) });
  const data = Buffer.from('2a864886f70d010701', 'hex');
  const rows = [
    ['data-of-another-type', false, ({ kind }) => (kind.content = data)],
    ['content-of-another-type', false, ({ content }) => (content.members[0].content = data)],
    ['content-without-octets', false, ({ content }) => content.members.pop()],
    ['content-twice', false, ({ content }) => content.members[1].members.push(content.members[1].members[0])],
    ['content-under-another-tag', false, ({ content }) => (content.members[1].tag = 0xa1)],
    ['content-is-a-sequence', false, ({ content }) => (content.members[1].members = [sequence()])],
    ['holder-under-another-tag', false, ({ holder }) => (holder.tag = 0xa1)],
    ['holder-of-two', false, ({ holder }) => holder.members.push(NULL)],
    ['lists-of-a-number', false, ({ data: { members } }) => members.splice(4, 0, { tag: 0xa1, members: [number(1)] })],
    ['lists-of-nothing', true, ({ data: { members } }) => members.splice(4, 0, { tag: 0xa1, members: [] })],
    ['holder-of-nothing', false, ({ holder }) => (holder.members = [])],
    ['further-member-of-the-token', false, ({ whole }) => whole.members.push(NULL)],
    ['further-member-of-the-data', false, ({ data: { members } }) => members.push(NULL)],
    ['data-is-a-set', false, ({ data: inner }) => (inner.tag = 0x31)],
    ['version-is-null', false, ({ data: { members } }) => members.splice(0, 1, NULL)],
    ['version-of-another-number', true, ({ data: { members } }) => members.splice(0, 1, number(1))],
    ['no-version', false, ({ data: { members } }) => members.shift()],
    ['digests-are-a-sequence', false, ({ digests }) => (digests.tag = 0x30)],
    ['no-digests', true, ({ digests }) => (digests.members = [])],
    ['digest-of-three', false, ({ digests }) => digests.members[0].members.push(NULL, NULL)],
    ['digest-is-a-number', false, ({ digests }) => digests.members.push(sequence(number(1)))],
    ['no-certificates', false, ({ data: { members } }) => members.splice(3, 1)],
    ['no-certificate', false, ({ certificates }) => (certificates.members = [])],
    ['certificates-out-of-order', true, ({ certificates }) => certificates.members.reverse()],
    ['certificate-of-one-member', false, ({ certificates }) => certificates.members.push(sequence(number(1)))],
    ['no-signer', false, ({ signers }) => (signers.members = [])],
    ['two-signers', false, ({ signers, signer }) => signers.members.push(signer)],
    ['signers-are-a-sequence', false, ({ signers }) => (signers.tag = 0x30)],
    ['signer-is-a-set', false, ({ signer }) => (signer.tag = 0x31)],
    ['signer-without-attributes', false, ({ signer }) => signer.members.splice(3, 1)],
    ['signer-without-a-signature', false, ({ signer }) => signer.members.pop()],
    ['signer-with-a-further-member', false, ({ signer }) => signer.members.push(NULL)],
    ['signer-unsigned-attributes', true, ({ signer }) => signer.members.push({ tag: 0xa1, members: [] })],
    [
      'signer-unsigned-attributes-twice',
      false,
      ({ signer }) => signer.members.push({ tag: 0xa1, members: [] }, { tag: 0xa1, members: [] }),
    ],
    ['signer-version-is-null', false, ({ signer }) => signer.members.splice(0, 1, NULL)],
    ['signer-named-by-a-set', false, ({ signer }) => (signer.members[1].tag = 0x31)],
    ['signer-named-by-three', false, ({ signer }) => signer.members[1].members.push(number(1))],
    ['signer-named-by-another-number', false, ({ signer }) => signer.members[1].members.splice(1, 1, number(99))],
    ['signer-named-by-another-key', false, ({ signer }) => signer.members.splice(1, 1, { tag: 0x80, content: data })],
    ['signer-digest-of-three', false, ({ signer }) => signer.members[2].members.push(NULL, NULL)],
    ['signer-algorithm-of-three', false, ({ signer }) => signer.members[4].members.push(NULL, NULL)],
    ['signer-algorithm-of-nothing', false, ({ signer }) => (signer.members[4].members = [])],
    ['signer-algorithm-unknown', false, ({ signer }) => (signer.members[4].members[0].content = data)],
    ['signature-is-bits', false, ({ signer }) => (signer.members[5].tag = 3)],
  ];
  return rows.map(([name, isVerified, edit]) => [`part-${name}`, PARTS, isVerified, edited(edit)]);
}
