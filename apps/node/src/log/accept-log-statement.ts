import { isJsonArray, isJsonObject, isSameJson, jcsV1, member, parseJson, type JsonValue } from '@cer/canonical-json';
import { decodeBase64Url, KeyError, publicKeyFromBase64, verifySignature } from '@cer/keys';
import { replayKeyHistory, type KeyHistoryEntry } from '@cer/keys/key-history';
import { StartupError } from '../errors/startup-error.js';
import { publishedStatement, type LogStatementDeps } from './log-statement.js';

export interface AcceptStatementDeps extends LogStatementDeps {
  /** The key history of the node, which names its roots. */
  readonly entries: readonly KeyHistoryEntry[];
}

/**
 * Publishes a statement that a live root of the key history signed elsewhere. It must promise what the node's logs are.
 * @param value `{statement, signatures}`
 * @returns its version
 * @throws StartupError naming the member and the rule
 */
export async function acceptLogStatement(deps: AcceptStatementDeps, value: JsonValue): Promise<number> {
  const statement = isJsonObject(value) ? member(value, 'statement') : undefined;
  const signatures = isJsonObject(value) ? member(value, 'signatures') : undefined;
  if (!isJsonObject(statement) || !isJsonArray(signatures)) {
    throw new StartupError('--file: must have statement and signatures');
  }
  const next = await publishedStatement(deps, new Date(0));
  if (next.signatures.length > 0) throw new StartupError('the published log statement is signed already');
  const issuedAt = member(statement, 'issuedAt');
  const isTime = typeof issuedAt === 'string' && !Number.isNaN(Date.parse(issuedAt));
  // Everything but the time must be what this node promises.
  if (!isTime || !isSameJson(statement, parseJson(JSON.stringify({ ...next.statement, issuedAt })))) {
    throw new StartupError('statement: is not the one that this node publishes; fetch /.well-known/svc-log.json again');
  }
  const signed = signatures.map(signatureOf);
  const bytes = new TextEncoder().encode(jcsV1.canonicalize(statement));
  const { roots } = replayKeyHistory(deps.nodeId, deps.entries);
  for (const { kid, signature } of signed) {
    const root = roots.get(kid);
    if (root?.status !== 'live') throw new StartupError('signatures: name a key that is not a live root of this node');
    if (!(await verifySignature(publicKeyFromBase64(root.publicKey), bytes, decoded(signature)))) {
      throw new StartupError('signatures: do not verify');
    }
  }
  if (signed.length === 0) throw new StartupError('signatures: must not be empty');
  const { version } = next.statement;
  const isKept = await deps.logNotes.addStatement({
    version,
    statementJson: JSON.stringify(statement),
    signaturesJson: JSON.stringify(signed),
  });
  if (!isKept) throw new StartupError('statement.version: is taken');
  return version;
}

function signatureOf(value: JsonValue): { readonly kid: string; readonly signature: string } {
  const [kid, signature] = isJsonObject(value) ? [member(value, 'kid'), member(value, 'signature')] : [];
  if (typeof kid !== 'string' || typeof signature !== 'string') {
    throw new StartupError('signatures: each must have kid and signature');
  }
  return { kid, signature };
}

function decoded(signature: string): Uint8Array {
  try {
    return decodeBase64Url(signature);
  } catch (error) {
    if (error instanceof KeyError) return new Uint8Array(0);
    throw error;
  }
}
