// Texts that are policies, and texts that are none: https://c2sp.org/tlog-policy, and the keys of signed notes.
import { createHash } from 'node:crypto';

const LINES = 'A line is log, witness, group or quorum with its words, a comment or empty.';
const KEYS = 'A key is name, id and Ed25519 key, of the type of its line, and in one line only.';
const NAMES = 'A name is defined once and before it is used, and none is reserved.';
const GROUPS = 'A threshold is from 1 to the number of members, and a name is in one group only.';
const QUORUM = 'A policy has one quorum.';

/** A verifier key with the id of its name and bytes. */
function vkey(name, bytes) {
  const id = createHash('sha256').update(`${name}\n`).update(bytes).digest('hex').slice(0, 8);
  return `${name}+${id}+${bytes.toString('base64')}`;
}

/**
 * @param {Record<string, {vkey: string}>} keys the rows of keys.json
 * @param {string} policy the text of policy.txt
 * @returns {{name: string, rule: string, valid: boolean, text: string}[]}
 */
export function policyTexts(keys, policy) {
  const { log, epochs, w1, w2, w3, other } = Object.fromEntries(
    Object.entries(keys).map(([name, key]) => [name, key.vkey]),
  );
  const witnesses = `witness w1 ${w1}\nwitness w2 ${w2}\nwitness w3 ${w3}\n`;
  const [name] = log.split('+');
  // Base64 has plus signs too.
  const encoded = log.slice(`${name}+00000000+`.length);
  const typed = Buffer.from(encoded, 'base64');
  const point = (first) => Buffer.concat([Buffer.from([1, first]), Buffer.alloc(31)]);
  const logged = (text) => `log ${text}\nquorum none\n`;
  const grouped = (text) => `${witnesses}${text}`;
  return [
    ['as-it-is', LINES, true, policy],
    ['quorum-alone', LINES, true, 'quorum none'],
    ['comment-behind-spaces', LINES, true, ' \t # a comment\n\n\nquorum none'],
    ['words-between-tabs', LINES, true, `\tlog\t\t${log} \t\nquorum\tnone\t\n`],
    ['comment-behind-a-line', LINES, false, 'quorum none # a comment'],
    ['carriage-returns', LINES, false, policy.replaceAll('\n', '\r\n')],
    ['control-character-in-a-comment', LINES, false, `# \u0007\n${policy}`],
    ['control-character-of-c1', LINES, false, `# \u0085\n${policy}`],
    ['delete-in-a-comment', LINES, false, `# \u007f\n${policy}`],
    ['keyword-unknown', LINES, false, `${policy}mirror x\n`],
    ['keyword-in-capitals', LINES, false, 'Quorum none'],
    ['log-without-a-key', LINES, false, 'log\nquorum none'],
    ['log-of-three-words', LINES, false, logged(`${log} https://a.example b`)],
    ['log-with-an-address', LINES, true, logged(`${log} https://a.example`)],
    ['witness-without-a-key', LINES, false, 'witness w1\nquorum none'],
    ['witness-of-four-words', LINES, false, `witness w1 ${w1} https://a.example b\nquorum none`],
    ['witness-with-an-address', LINES, true, `witness w1 ${w1} https://a.example\nquorum w1`],
    ['group-without-members', LINES, false, grouped('group g 1\nquorum none')],
    ['group-of-one', LINES, true, grouped('group g 1 w1\nquorum g')],
    ['two-logs', KEYS, true, logged(`${log}\nlog ${epochs}`)],
    ['log-twice', KEYS, false, logged(`${log}\nlog ${log}`)],
    ['key-of-a-log-under-another-name', KEYS, false, logged(`${log}\nlog ${vkey('b.example', typed)}`)],
    ['two-keys-of-one-name', KEYS, true, logged(`${log}\nlog ${other}`)],
    ['log-with-the-key-of-a-witness', KEYS, false, logged(w1)],
    ['witness-with-the-key-of-a-log', KEYS, false, `witness w1 ${log}\nquorum none`],
    ['witness-twice-under-two-names', KEYS, false, `witness w1 ${w1}\nwitness w2 ${w1}\nquorum none`],
    ['key-of-another-id', KEYS, false, logged(log.replace('+0', '+1'))],
    ['key-of-an-id-in-capitals', KEYS, false, logged(log.replace('08ab3961', '08AB3961'))],
    ['key-without-a-name', KEYS, false, logged(vkey('', typed))],
    ['key-without-an-id', KEYS, false, logged(`${name}+${encoded}`)],
    ['key-cut-short', KEYS, false, logged(log.slice(0, -1))],
    ['key-too-short', KEYS, false, logged(vkey(name, typed.subarray(0, -1)))],
    ['key-too-long', KEYS, false, logged(vkey(name, Buffer.concat([typed, Buffer.of(1)])))],
    ['key-of-the-neutral-point', KEYS, false, logged(vkey(name, point(1)))],
    ['key-of-no-point', KEYS, false, logged(vkey(name, point(2)))],
    ['key-of-type-2', KEYS, false, logged(vkey(name, Buffer.concat([Buffer.of(2), typed.subarray(1)])))],
    ['key-with-a-further-part', KEYS, false, logged(`${log}+1`)],
    ['name-twice', NAMES, false, `witness w1 ${w1}\nwitness w1 ${w2}\nquorum none`],
    ['name-of-a-group-twice', NAMES, false, grouped('group w1 any w2 w3\nquorum none')],
    ['name-none-of-a-witness', NAMES, false, `witness none ${w1}\nquorum none`],
    ['name-none-of-a-group', NAMES, false, grouped('group none any w1\nquorum none')],
    ['name-constructor', NAMES, false, 'quorum constructor'],
    ['member-unknown', NAMES, false, grouped('group g any w1 w4\nquorum g')],
    ['member-none', NAMES, false, grouped('group g any none\nquorum g')],
    ['member-of-itself', NAMES, false, grouped('group g any w1 g\nquorum g')],
    ['member-defined-later', NAMES, false, `group g any w1\nwitness w1 ${w1}\nquorum g`],
    ['member-twice', GROUPS, false, grouped('group g any w1 w1\nquorum g')],
    ['member-of-two-groups', GROUPS, false, grouped('group g any w1 w2\ngroup h any w2 w3\nquorum g')],
    ['member-beside-its-group', GROUPS, false, grouped('group g any w1 w2\ngroup h any g w1\nquorum h')],
    ...['0', '4', '01', '-1', '1.0', 'most', 'All', '99999999999999999999'].map((threshold) => [
      `threshold-${threshold.toLowerCase()}`,
      GROUPS,
      false,
      grouped(`group g ${threshold} w1 w2 w3\nquorum g`),
    ]),
    ...['1', '3', 'any', 'all'].map((threshold) => [
      `threshold-of-${threshold}`,
      GROUPS,
      true,
      grouped(`group g ${threshold} w1 w2 w3\nquorum g`),
    ]),
    ['no-text', QUORUM, false, ''],
    ['no-quorum', QUORUM, false, witnesses],
    ['quorum-twice', QUORUM, false, grouped('quorum w1\nquorum w1')],
    ['quorum-none-twice', QUORUM, false, 'quorum none\nquorum none'],
    ['quorum-unknown', QUORUM, false, grouped('quorum w4')],
    ['quorum-defined-later', QUORUM, false, `quorum w1\nwitness w1 ${w1}`],
    ['quorum-of-two', QUORUM, false, grouped('quorum w1 w2')],
    ['quorum-of-no-name', QUORUM, false, grouped('quorum')],
    ['witness-behind-the-quorum', QUORUM, true, `quorum none\nwitness w1 ${w1}`],
  ].map(([id, rule, valid, text]) => ({ name: valid ? id : `${id}_fail`, rule, valid, text }));
}
