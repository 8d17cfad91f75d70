import type { KeyStatus } from '@cer/keys';

/** One signing key, shared by the nodes of a database. All times ISO 8601, UTC, milliseconds, `Z`. */
export interface SigningKeyRow {
  readonly kid: string;
  /** Base64 of the SPKI DER. */
  readonly publicKey: string;
  readonly status: KeyStatus;
  readonly createdAt: string;
  /** In the future for a published key that does not sign yet. */
  readonly notBefore: string;
  readonly retiredAt: string | null;
  readonly revokedAt: string | null;
  readonly compromisedSince: string | null;
  readonly revocationReason: string | null;
  readonly contextUnprotectedBefore: string | null;
  /** The holder of the private key. */
  readonly holder: string;
  /** Null once the private key is erased, and for keys imported without one. */
  readonly reference: string | null;
}

/** The self-reported state of a signing process. */
export interface SigningNode {
  /** New at each start of a process. */
  readonly instanceId: string;
  /** The oldest key it may still sign with; null before it knows. */
  readonly kid: string | null;
  /** The newest time in its attestations, by its own clock; null without one. */
  readonly lastSignedAt: string | null;
  /** Time of the report, in milliseconds since 1970 by its own clock. */
  readonly seenMs: number;
}

/** The shared signing state of the nodes of a database. */
export interface SigningState {
  /** `seq` of the newest entry of the key history; 0 for none. Read first, so that the other values are not older. */
  readonly historySeq: number;
  /** In order of addition. */
  readonly keys: readonly SigningKeyRow[];
  readonly nodes: readonly SigningNode[];
  /** `attestedAt` of the record stored last; null in a store without records. */
  readonly newestRecordAt: string | null;
  /** The database's clock, in milliseconds since 1970. */
  readonly databaseMs: number;
}

/** An atomic change of the key set and its history entries. */
export interface SigningKeyChange {
  /** The resulting keys, by kid: new ones are added, known ones updated, except for holder and reference. */
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
  /** @returns false when another change came first: read again */
  change(change: SigningKeyChange): Promise<boolean>;
  /** Erases the private key stored in the database, if any. */
  eraseReference(kid: string): Promise<void>;
  /** The entries after `seq`, as JSON, in order. */
  historyAfter(seq: number): Promise<readonly string[]>;
  /** Reports that a process is alive, and its signing key. */
  announce(node: SigningNode): Promise<void>;
  /** Removes the entry of an ended process. */
  leave(instanceId: string): Promise<void>;
  /**
   * Removes entries of processes without a report since a time, in milliseconds since 1970: they ended without
   * unregistering.
   */
  forgetSilent(sinceMs: number): Promise<void>;
  newestStatement(): Promise<StatementRow | null>;
  /** @returns false when a statement of this version exists already */
  addStatement(statement: StatementRow): Promise<boolean>;
}
