// RFC 3161 tokens over a receipt, alone and in a batch: one case for each of timestamps.json, and the forms of the first
// of them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tokenForms } from './token-forms.mjs';

const FILE = join(import.meta.dirname, 'timestamps.json');

export function timestampCases() {
  const { heading, rootSets, receipt, signature, tests } = JSON.parse(readFileSync(FILE, 'utf8'));
  const [first] = tests;
  const forms = tokenForms(Buffer.from(first.token, 'base64')).map(([name, rule, isVerified, token]) => ({
    ...first,
    id: `${name}${isVerified ? '' : '_fail'}`,
    rule,
    token: token.toString('base64'),
    ...(!isVerified && { expected: { status: 'invalid' } }),
  }));
  return [...tests, ...forms].map(({ id, rule, roots, token, zeros = 0, inclusion, expected }) => ({
    id: `timestamp/${id}`,
    heading,
    rule,
    command: 'timestamp',
    file: {
      token: Buffer.concat([Buffer.from(token, 'base64'), Buffer.alloc(zeros)]).toString('base64'),
      ...{ receipt, signature, certificateHash: receipt.certificateHash },
      ...(inclusion !== undefined && { inclusion }),
      roots: roots === null ? null : rootSets[roots],
    },
    expected,
  }));
}
