import { jcsV1 } from '@cer/canonical-json';
import { encodeBase64Url, type Signer } from '@cer/keys';
import { formatVkey } from '@cer/tlog/note';
import type { LogNoteStore, LogRow } from '../store/index.js';
import { noteKeyOfLog } from './opened-log.js';

/** Maximum delay until a receipt is in the log, in seconds. */
export const MMD_SECONDS = 3600;

const STATEMENT_TYPE = 'svc.log-statement.v1';

/** The operator's promise about the logs of a node. @see docs/spec.md, "Log statement" */
export interface LogStatement {
  readonly type: typeof STATEMENT_TYPE;
  readonly version: number;
  readonly issuedAt: string;
  readonly nodeId: string;
  readonly logs: readonly LogPromise[];
}

interface LogPromise {
  readonly origin: string;
  readonly vkey: string;
  readonly role: LogRow['role'];
  readonly since: string;
  readonly mmdSeconds: number;
  readonly closed: unknown;
}

/** The statement as it is published; without signatures until a root has signed it. */
export interface PublishedLogStatement {
  readonly statement: LogStatement;
  readonly signatures: readonly { readonly kid: string; readonly signature: string }[];
}

export interface LogStatementDeps {
  readonly logNotes: Pick<LogNoteStore, 'newestStatement' | 'addStatement'>;
  readonly rows: readonly LogRow[];
  readonly nodeId: string;
}

/** The newest signed statement, or an unsigned one that a root has not signed yet. */
export async function publishedStatement(deps: LogStatementDeps, now: Date): Promise<PublishedLogStatement> {
  const newest = await newestSigned(deps);
  const logs = promisesOf(deps.rows);
  if (newest !== null && jcsV1.canonicalize(newest.statement.logs) === jcsV1.canonicalize(logs)) return newest;
  const version = (newest?.statement.version ?? 0) + 1;
  const statement = { type: STATEMENT_TYPE, version, issuedAt: now.toISOString(), nodeId: deps.nodeId, logs } as const;
  return { statement, signatures: [] };
}

/** Signs what has changed with a root key that is online. */
export async function signStatement(deps: LogStatementDeps, root: Signer, now: Date): Promise<void> {
  const { statement, signatures } = await publishedStatement(deps, now);
  if (signatures.length > 0) return;
  const bytes = new TextEncoder().encode(jcsV1.canonicalize(statement));
  const signed = [{ kid: root.kid, signature: encodeBase64Url(await root.sign(bytes)) }];
  await deps.logNotes.addStatement({
    version: statement.version,
    statementJson: JSON.stringify(statement),
    signaturesJson: JSON.stringify(signed),
  });
}

async function newestSigned({ logNotes }: LogStatementDeps): Promise<PublishedLogStatement | null> {
  const row = await logNotes.newestStatement();
  if (row === null) return null;
  return {
    statement: JSON.parse(row.statementJson) as LogStatement,
    signatures: JSON.parse(row.signaturesJson) as PublishedLogStatement['signatures'],
  };
}

function promisesOf(rows: readonly LogRow[]): readonly LogPromise[] {
  return rows.map((row) => ({
    origin: row.origin,
    vkey: formatVkey(noteKeyOfLog(row)),
    role: row.role,
    since: row.since,
    mmdSeconds: MMD_SECONDS,
    closed: row.closedJson === null ? null : (JSON.parse(row.closedJson) as unknown),
  }));
}
