/** A number of certificates or refusals. */
export interface CoverageCount {
  readonly tenantId: string;
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  /** Null: none. */
  readonly appId: string | null;
  /** `certified`, `report` for a certificate of a producer's counts, or the code of a refusal. */
  readonly outcome: string;
  readonly count: number;
}

/** Counts of a producer's client since it started. */
export interface ClientCounts {
  /** Calls. */
  readonly seen: number;
  /** Calls with a certificate. */
  readonly sealed: number;
  /** Of `sealed`: ended by the caller, by the provider, or cut off. */
  readonly aborted: number;
  readonly failed: number;
  readonly truncated: number;
  /** Calls without a certificate: by choice, because they could not be sealed, because the spool was full. */
  readonly skipped: number;
  readonly unsealed: number;
  readonly dropped: number;
  /** Certificates that the node refused for good. */
  readonly dead: number;
}

/** Numbers at the time of a report. */
export interface ClientStates {
  /** Calls under way. */
  readonly open: number;
  /** Certificates that are not attested yet. */
  readonly waiting: number;
}

/** The newest report of one client on one day. */
export interface ClientReport extends ClientCounts, ClientStates {
  readonly tenantId: string;
  readonly clientId: string;
  /** Of its sealing: `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly appId: string | null;
  /** Its number, from 1. */
  readonly report: number;
  /** Whether the client closed with it. */
  readonly isLast: boolean;
}

/** The clients of one application on one day: what they counted that day, and their states at its end. */
export interface ReportedDay extends ClientCounts, ClientStates {
  readonly day: string;
  readonly appId: string | null;
  readonly clients: number;
  /** Clients whose newest report is of this day and does not close them. */
  readonly unclosed: number;
}

/** A record with the counts of a producer. */
export interface CoverageRecord {
  readonly tenantId: string;
  /** Its bundle or its public form; JSON text. */
  readonly json: string;
}

/** Records that are not counted yet. */
export interface UncountedRange {
  readonly after: number;
  readonly upTo: number;
  readonly certified: readonly CoverageCount[];
  /** Certificates of producers' counts, which are not certified calls. */
  readonly reports: readonly CoverageRecord[];
}

export interface CoverageQuery {
  readonly tenantId: string;
  /** First day. */
  readonly from: string;
  /** The day after the last one. */
  readonly to: string;
  /** Absent: all. */
  readonly appId?: string;
  /** Maximum rows; absent: all. */
  readonly limit?: number;
}

/** Certificates that producers of a tenant reported as refused for good, on one day. */
export interface DeadLetters {
  readonly tenantId: string;
  readonly day: string;
  readonly count: number;
}

/** Counts of certificates and refusals, which survive the records. */
export interface CoverageStore {
  /** The next records up to `lastSeq`, below which no record is uncommitted; null for none. */
  uncounted(lastSeq: number): Promise<UncountedRange | null>;
  /** Adds a range with the reports in it, once. @returns false when it was added before */
  addRange(range: UncountedRange, reports: readonly ClientReport[]): Promise<boolean>;
  /** Adds refusals, all or none; an application without a certificate is stored as none, since its name is not certified. */
  addRefusals(refusals: readonly CoverageCount[]): Promise<void>;
  counts(query: CoverageQuery): Promise<readonly CoverageCount[]>;
  reported(query: CoverageQuery): Promise<readonly ReportedDay[]>;
  /** Of every tenant. @param from first day */
  deadLetters(from: string): Promise<readonly DeadLetters[]>;
}
