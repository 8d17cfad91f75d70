// RFC 3161 tokens over a receipt, alone and in a batch: one case for each of timestamps.json.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = join(import.meta.dirname, 'timestamps.json');

export function timestampCases() {
  const { heading, rootSets, receipt, signature, tests } = JSON.parse(readFileSync(FILE, 'utf8'));
  return tests.map(({ id, rule, roots, token, zeros = 0, inclusion, expected }) => ({
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
