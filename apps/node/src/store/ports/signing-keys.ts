import type { KeyStatus } from '@cer/keys';

/** One signing key as the nodes of a database share it. All times ISO 8601, UTC, milliseconds, `Z`. */
export interface SigningKeyRow {
  readonly kid: string;
  /** Base64 of the SPKI DER. */
  readonly publicKey: string;
  readonly status: KeyStatus;
  readonly createdAt: string;
  /** In the future: published, and not signing yet. */
  readonly notBefore: string;
  readonly retiredAt: string | null;
  readonly revokedAt: string | null;
  readonly compromisedSince: string | null;
  readonly revocationReason: string | null;
  readonly contextUnprotectedBefore: string | null;
  /** Which holder has the private half. */
  readonly holder: string;
  /** Null once the private half is erased, and for keys that came without one. */
  readonly reference: string | null;
}

/** What a process that signs says of itself. */
export interface SigningNode {
  /** New at each start of a process. */
  readonly instanceId: string;
  /** The oldest key it may still sign with; null before it knows. */
  readonly kid: string | null;
  /** The newest time it put into an attestation, by its own clock; null for none. */
  readonly lastSignedAt: string | null;
  /** When it said so, in milliseconds since 1970 by its own clock. */
  readonly seenMs: number;
}

/** What the nodes of a database agree on about signing. */
export interface SigningState {
  /** `seq` of the newest entry of the key history; 0 for none. Read first: what else was read is not older. */
  readonly historySeq: number;
  /** In the order in which they were added. */
  readonly keys: readonly SigningKeyRow[];
  readonly nodes: readonly SigningNode[];
  /** `attestedAt` of the record that was kept last; null in a store without records. */
  readonly newestRecordAt: string | null;
}

/** A change of the key set: it happens whole, with its history entries, or not at all. */
export interface SigningKeyChange {
  /** Keys as they are from now on, by kid: new ones are added, known ones set; holder and reference stay theirs. */
  readonly keys: readonly SigningKeyRow[];
  /** JSON by `seq`, the next ones in order; at least one. */
  readonly entries: readonly { readonly seq: number; readonly json: string }[];
}

export interface StatementRow {
  readonly version: number;
  readonly statementJson: string;
  readonly signaturesJson: string;
}

export interface SigningKeyStore {
  read(): Promise<SigningState>;
  /** @returns false when another change was faster: read again */
  change(change: SigningKeyChange): Promise<boolean>;
  /** Erases the private half as far as the database holds it. */
  eraseReference(kid: string): Promise<void>;
  /** The entries after `seq`, as JSON, in order. */
  historyAfter(seq: number): Promise<readonly string[]>;
  /** Says that a process is alive and with which key it signs. */
  announce(node: SigningNode): Promise<void>;
  /** Forgets a process that ended. */
  leave(instanceId: string): Promise<void>;
  /** Forgets processes that said nothing since, in milliseconds since 1970: they ended without a word. */
  forgetSilent(sinceMs: number): Promise<void>;
  newestStatement(): Promise<StatementRow | null>;
  /** @returns false when there is a statement of this version already */
  addStatement(statement: StatementRow): Promise<boolean>;
}
