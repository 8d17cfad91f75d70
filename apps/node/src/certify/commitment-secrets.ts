import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { decodeBase64 } from '@cer/keys';
import { createPrivateFile } from '@cer/keys/private-file';
import { readSecretFile, Secret } from '@cer/http-service/config';
import { OperatorError } from '@cer/http-service/process';

/** The secrets from which salts of confidential executions are derived. Old ones remain, because replays need them. */
export interface CommitmentSecrets {
  /** The secret for new executions. */
  readonly activeId: string;
  /** Every secret, the active one first. */
  readonly ids: readonly string[];
  /** @throws Error when the id is unknown; start-up has checked that every stored execution names a known secret */
  readonly secretOf: (id: string) => Uint8Array;
  readonly has: (id: string) => boolean;
}

const SECRET_BYTES = 32;

const SecretsFile = z.strictObject({
  activeId: z.string().min(1),
  secrets: z.array(z.strictObject({ id: z.string().min(1), secret: z.string() })).min(1),
});

/** The file cannot be used; the message names file and rule. */
export class CommitmentSecretsError extends OperatorError {
  override readonly name = 'CommitmentSecretsError';
}

/** Reads `{activeId, secrets: [{id, secret: base64 of 32 bytes}]}` from a file that only its owner can read. */
export function openCommitmentSecrets(path: string): CommitmentSecrets {
  const fault = (rule: string): CommitmentSecretsError =>
    new CommitmentSecretsError(`commitment secret file ${path}: ${rule}`);
  const parsed = SecretsFile.safeParse(parseJsonOr(readSecretFile(path).reveal(), () => fault('is not JSON')));
  if (!parsed.success) throw fault('must be {activeId, secrets: [{id, secret}]}');
  const { activeId, secrets } = parsed.data;
  const byId = new Map<string, Uint8Array>();
  for (const { id, secret } of secrets) {
    const bytes = bytesOf(secret);
    if (bytes?.length !== SECRET_BYTES) throw fault(`each secret must be base64 of ${SECRET_BYTES} bytes`);
    if (byId.has(id)) throw fault('each id must be there once');
    byId.set(id, bytes);
  }
  if (!byId.has(activeId)) throw fault('activeId must name one of the secrets');
  return secretsOf(activeId, byId);
}

export function secretsOf(activeId: string, secrets: ReadonlyMap<string, Uint8Array>): CommitmentSecrets {
  const byId = new Map([...secrets].map(([id, secret]) => [id, new Secret(secret)]));
  return {
    activeId,
    ids: [activeId, ...[...byId.keys()].filter((id) => id !== activeId)],
    has: (id) => byId.has(id),
    secretOf: (id) => {
      const secret = byId.get(id);
      if (secret === undefined) throw new Error('an execution names a commitment secret that is not in the file');
      return secret.reveal();
    },
  };
}

function parseJsonOr(text: string, fault: () => Error): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw fault();
  }
}

function bytesOf(text: string): Uint8Array | null {
  try {
    return decodeBase64(text);
  } catch {
    return null;
  }
}

/** Creates the file with one new secret, mode 0600. @throws when the path exists: it is never overwritten */
export function createCommitmentSecrets(path: string): void {
  const secret = { id: `cs-${randomBytes(6).toString('hex')}`, secret: randomBytes(SECRET_BYTES).toString('base64') };
  createPrivateFile(path, `${JSON.stringify({ activeId: secret.id, secrets: [secret] }, null, 2)}\n`);
}
