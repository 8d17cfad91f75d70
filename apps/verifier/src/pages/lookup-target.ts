import { isSha256Hash } from '@cer/cer-core';
import type { NodeClient } from '../record/node-client.js';
import { recordPath } from '../view/record-path.js';

/**
 * Text that a person may paste around a hash: an address of this site, of the node, or any other text. Of a longer run
 * of letters and digits no part is a hash: a typing error would lead to another record.
 */
const HASH_IN_TEXT = /sha256(?::|%3a)([0-9a-f]{64})(?![0-9a-z])/i;
const EXECUTION_IN_ADDRESS = /\/e\/([^/?#]+)$/;
const MAX_QUERY = 2048;

/**
 * Where a look-up leads: a path of this site. Nothing of the query is ever fetched; only the hash in it is looked up at
 * the configured node.
 * @returns null for an empty or overlong query
 */
export async function lookupTarget(query: string, node: NodeClient): Promise<string | null> {
  const text = query.trim();
  if (text === '' || text.length > MAX_QUERY) return null;
  const digits = HASH_IN_TEXT.exec(text)?.[1] ?? (/^[0-9a-f]{64}$/.test(text) ? text : undefined);
  const hash = digits === undefined ? undefined : `sha256:${digits.toLowerCase()}`;
  if (isSha256Hash(hash)) return recordPath(await kindOf(hash, text, node), hash);
  const executionId = EXECUTION_IN_ADDRESS.exec(text)?.[1];
  return `/e/${executionId === undefined ? encodeURIComponent(text) : encodeURIComponent(decoded(executionId))}`;
}

async function kindOf(hash: string, text: string, node: NodeClient): Promise<'certificate' | 'project'> {
  if (/\/p\/|project_hash=/.test(text)) return 'project';
  if (/\/c\/|certificate_hash=/.test(text)) return 'certificate';
  const isCertificate = await node.certificate(hash, ({ kind }) => kind !== 'not-found');
  return !isCertificate && (await node.hasProject(hash)) ? 'project' : 'certificate';
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
