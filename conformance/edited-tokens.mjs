// Tokens of an authority that signed what is not in its one form: `openssl ts` makes none, so a part of a whole token is
// edited and signed again with the keys of the authority.
import { createHash, createPrivateKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { read, write } from './der.mjs';

const leaf = (tag, ...bytes) => ({ tag, content: Buffer.from(bytes) });
const hashOf = (bytes) => createHash('sha256').update(bytes).digest();

/**
 * @param {Buffer} whole a token @param {string} folder with the keys of the authority
 * @param {(parts: {info: object, certificate: object, certificates: object}) => void} edit changes the TSTInfo or the
 *   certificate of the authority, whose signatures are made again, or the unsigned set of certificates
 */
export function editedToken(whole, folder, edit) {
  const token = read(whole);
  const data = token.members[1].members[0];
  const [, , { members: content }, certificates, { members: signers }] = data.members;
  const [octets] = content[1].members;
  const info = read(octets.content);
  const certificate = certificates.members.find((one) => write(one).includes(Buffer.from('2b06010505070308', 'hex')));
  edit({ info, certificate, certificates });
  octets.content = write(info);
  const key = (name) => createPrivateKey(readFileSync(join(folder, `${name}.key`)));
  const [tbs, , issued] = certificate.members;
  issued.content = Buffer.concat([Buffer.of(0), sign('sha256', write(tbs), key('intermediate'))]);
  const [, , , attributes, , signature] = signers[0].members;
  const valueOf = (id) =>
    attributes.members.find(({ members: [name] }) => name.content.toString('hex') === id).members[1].members[0];
  valueOf('2a864886f70d010904').content = hashOf(octets.content);
  const [named] = valueOf('2a864886f70d010910022f').members[0].members;
  named.members.find(({ tag }) => tag === 4).content = hashOf(write(certificate));
  signature.content = sign('sha256', write({ ...attributes, tag: 0x31 }), key('stamping'));
  return write(token);
}

const extensionOf = (certificate, id) =>
  certificate.members[0].members
    .at(-1)
    .members[0].members.find(({ members }) => members[0].content.toString('hex') === id);

/** [id, what is edited, edit] of tokens that must be invalid. */
export const EDITS = [
  ['accuracy-padded', 'A number', ({ info }) => info.members[5].members.splice(1, 1, leaf(0x80, 0, 1))],
  ['accuracy-out-of-order', 'The order of members', ({ info }) => info.members[5].members.reverse()],
  ['imprint-of-three', 'The members of the imprint', ({ info }) => info.members[2].members.push(leaf(4, 1))],
  ['imprint-of-two-algorithms', 'An algorithm', ({ info }) => info.members[2].members[0].members.push(leaf(5))],
  [
    'certificate-time-with-a-fraction',
    'A time',
    ({ certificate }) =>
      certificate.members[0].members[4].members.splice(0, 1, leaf(0x18, ...Buffer.from('20200101000000.5Z'))),
  ],
  [
    'certificate-time-of-no-day',
    'A time',
    ({ certificate }) =>
      certificate.members[0].members[4].members.splice(0, 1, leaf(0x17, ...Buffer.from('200230000000Z'))),
  ],
  [
    'name-of-three',
    'An attribute of a name',
    ({ certificate }) => certificate.members[0].members[5].members[0].members[0].members.push(leaf(5)),
  ],
  [
    'name-of-a-large-arc',
    'An object identifier',
    ({ certificate }) => {
      const [relative] = certificate.members[0].members[5].members;
      relative.members[0].members.splice(0, 1, leaf(6, 0x55, ...Array(7).fill(0xff), 0x7f));
    },
  ],
  [
    'extension-named-twice',
    'An extension',
    ({ certificate }) => {
      const { members } = extensionOf(certificate, '551d0f');
      members.unshift(members[0]);
    },
  ],
  [
    'critical-without-a-value',
    'A truth value',
    ({ certificate }) => extensionOf(certificate, '551d25').members.splice(1, 1, leaf(1)),
  ],
  [
    'usage-with-a-byte-behind',
    'The value of an extension',
    ({ certificate }) => {
      const value = extensionOf(certificate, '551d0f').members.at(-1);
      value.content = Buffer.concat([value.content, Buffer.of(0)]);
    },
  ],
  [
    'number-among-certificates',
    'The set of certificates',
    ({ certificates }) => certificates.members.unshift(leaf(0x81, 1)),
  ],
];
