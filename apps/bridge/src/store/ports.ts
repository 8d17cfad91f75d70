/**
 * The bridge's store, with methods named by purpose and shared by all its instances. One contract suite runs on SQLite
 * and on PostgreSQL. Every method may throw a StoreError; a promise of a write resolves when the write is durable.
 */

export interface SessionUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
}

/** Times are ISO 8601 in UTC with milliseconds. */
export interface Session {
  readonly tenantId: string;
  readonly tenantName: string;
  readonly user: SessionUser;
  /** The user's last sign-out before it began, as the control plane tells it; null: none known. */
  readonly lastSignOutAt: string | null;
  readonly createdAt: string;
  readonly lastSeenAt: string;
  /** Time of the last confirmation of user and tenant by the control plane. */
  readonly checkedAt: string;
  /** Time at which it ends, regardless of use. */
  readonly expiresAt: string;
}

export interface NewSession {
  /** SHA-256 of the token that the browser holds. */
  readonly tokenHash: string;
  readonly tenantId: string;
  readonly tenantName: string;
  readonly user: SessionUser;
  readonly lastSignOutAt: string | null;
  readonly expiresAt: Date;
  /** The session that the browser had before; it ends. */
  readonly replaces: string | null;
}

/** Identity of a handoff token. */
export interface TokenIdentity {
  readonly issuer: string;
  readonly jti: string;
  /** From then on the token is refused by its age alone. */
  readonly expiresAt: Date;
}

export interface SessionStore {
  /**
   * Consumes a token and makes its session, in one transaction.
   * @returns null, and nothing is made, when the token was consumed before
   */
  startOnce(token: TokenIdentity, session: NewSession): Promise<Session | null>;
  find(tokenHash: string): Promise<Session | null>;
  touch(tokenHash: string, seen: { readonly lastSeenAt?: Date; readonly checkedAt?: Date }): Promise<void>;
  end(tokenHash: string): Promise<void>;
}

export type Source = 'executions' | 'otlp';

/** One execution that was sent in, as the pages show it: labels and hashes, never content. */
export interface Ingest {
  readonly at: string;
  readonly source: Source;
  readonly outcome: 'certified' | 'refused';
  /** The HTTP number. */
  readonly status: number;
  readonly executionId: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  /** In a conflict, the certificate that the executionId has already. */
  readonly certificateHash: string | null;
  /** Of a conflict, what was sent. */
  readonly submittedHash: string | null;
  readonly verificationUrl: string | null;
  readonly reason: string | null;
}

export interface Throughput {
  readonly certifiedLastMinute: number;
  readonly refusedLastMinute: number;
  readonly certifiedLastHour: number;
  readonly refusedLastHour: number;
}

export interface IngestStore {
  /**
   * Counts the outcomes of a batch and stores some of them for display.
   * @param counts of the whole batch
   */
  record(
    tenantId: string,
    ingests: readonly Ingest[],
    counts: { readonly certified: number; readonly refused: number },
  ): Promise<void>;
  /** The newest first. */
  newest(tenantId: string, limit: number, outcome?: Ingest['outcome']): Promise<readonly Ingest[]>;
  throughput(tenantId: string): Promise<Throughput>;
}

export interface LimitStore {
  /** Counts a request. @returns false when the minute is full */
  takeRequest(tenantId: string, minute: string, limit: number): Promise<boolean>;
  /** Counts root spans of an hour. @returns how many of them are within the limit */
  takeRoots(tenantId: string, hour: string, roots: number, limit: number): Promise<number>;
}

/** A certified span of a trace. */
export interface TraceStep {
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly startedAt: string;
  readonly bundleJson: string;
}

/** The span at the root of a trace, once it has ended. */
export interface TraceRoot {
  readonly traceId: string;
  readonly startedAt: string;
  readonly endedAt: string;
}

export interface TraceSize {
  readonly steps: number;
  readonly bytes: number;
}

/** Traces whose parts may come in any order, in several exports, at several instances. All of it is kept for a day. */
export interface TraceStore {
  /** A stored span is not replaced. */
  keep(tenantId: string, traceId: string, steps: readonly TraceStep[]): Promise<void>;
  /** The stored root of a trace is not replaced. */
  keepRoots(tenantId: string, roots: readonly TraceRoot[]): Promise<void>;
  /** Those of these traces that have steps. Of many, with few statements. */
  withSteps(tenantId: string, traceIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** The roots, of those of these traces that have steps and whose root has ended. Of many, with few statements. */
  rootsWithSteps(tenantId: string, traceIds: readonly string[]): Promise<readonly TraceRoot[]>;
  /** How many steps a trace has, at most `limit`, and the bytes of their bundles. */
  sizeOf(tenantId: string, traceId: string, limit: number): Promise<TraceSize>;
  /** In the order in which they started, at most `limit`. */
  stepsOf(tenantId: string, traceId: string, limit: number): Promise<readonly TraceStep[]>;
}

export interface Store {
  readonly sessions: SessionStore;
  readonly ingests: IngestStore;
  readonly limits: LimitStore;
  readonly traces: TraceStore;
  ping(): Promise<void>;
  /** Resolves when the last write succeeded; after a failed one a row is written to find out. */
  proveWritable(): Promise<void>;
  /** Removes expired rows. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}
