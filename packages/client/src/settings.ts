import { platform } from '#client-platform';
import type { Json, JsonMembers } from './json.js';
import type { Meter } from './metrics.js';
import { addressOf } from './node-api/access.js';
import { warnOfRefusal } from './refusal-warning.js';

/** A certificate that a node attested. */
export interface CertifiedCall {
  readonly executionId: string | null;
  readonly certificateHash: string;
  readonly verificationUrl: string | null;
  /** The whole answer of the node. */
  readonly answer: JsonMembers;
}

/** A project that a node registered. */
export interface CertifiedProject {
  readonly projectHash: string;
  readonly verificationUrl: string | null;
  /** The whole answer of the node. */
  readonly answer: JsonMembers;
}

/** The protocols that the client seals under. @see docs/spec.md, "Protocol versions" */
export type Protocol = '1.2.0' | '1.3.0' | '1.3.1';

/** The openings of one certificate: with them and the values a verifier confirms the commitments. */
export interface Opened {
  readonly executionId: string;
  readonly certificateHash: string;
  /** `{input: {salt}, output: {salt}}`, base64url of 32 bytes each. Kept nowhere else. */
  readonly openings: JsonMembers;
}

/** Sealing under protocol 1.3.1. @see docs/spec.md, "Confidential executions" */
export interface ConfidentialOptions {
  /** Describes the calls; bound in clear. */
  readonly prompt: string;
  /** Called with the openings before the bundle is stored. When it throws, the call gets no certificate. */
  readonly onOpenings: (opened: Opened) => void;
  /**
   * Sampling parameters of requests that state none: 1.3.1 needs `temperature` and `maxTokens`. Certificates name those
   * that were declared here.
   */
  readonly parameters?: JsonMembers;
}

/** Which of the two values of a call is meant. */
export type ContentPart = 'input' | 'output';

/** Masks content before it is hashed. */
export interface Redaction {
  /** What certificates name it by, at most 256 characters: change it with the rules. */
  readonly name: string;
  /**
   * Returns the value to seal; it must not change the given one. When it throws, or returns what JSON does not hold, the
   * call gets no certificate.
   * @param value a request or an answer as JSON, or text
   */
  readonly redact: (value: Json, part: ContentPart) => Json;
}

export interface CertificatesOptions {
  /** The program, as certificates name it. */
  readonly appId: string;
  /** Absent: the variable `CER_NODE_URL`. */
  readonly nodeUrl?: string;
  /** Absent: the variable `CER_API_KEY`. */
  readonly apiKey?: string;
  /**
   * Folder of the spool. Absent: `CER_SPOOL_DIR`, else `.cer-spool`; null: in memory, as on platforms without files.
   */
  readonly spoolDir?: string | null;
  /** Maximum bytes of sealed bundles that wait. 256 MiB when absent. */
  readonly maxSpoolBytes?: number;
  /** Maximum age of the oldest bundle that waits; a spool with an older one is full. No limit when absent. */
  readonly maxSpoolAgeMs?: number;
  /** Maximum bytes of an answer that is folded; a larger one is bound by the hash of its bytes. 8 MiB when absent. */
  readonly maxContentBytes?: number;
  /**
   * With a full spool: `count` (when absent) makes the call without a certificate and counts it; `throw-before-call`
   * refuses the call before it is made.
   */
  readonly onFull?: 'count' | 'throw-before-call';
  /** Which calls to certify. Absent: all. A call that is left out is counted as skipped. */
  readonly certify?: (call: { readonly url: string; readonly body: Json }) => boolean;
  /** The protocol of certificates; 1.3.0 when absent, 1.3.1 with `confidential`. */
  readonly protocol?: Protocol;
  /** Commits to input and output with salts that are drawn in this process, in place of hashes. */
  readonly confidential?: ConfidentialOptions;
  /**
   * Masks input and output before they are hashed. Certificates name it in `redactedBy`, so that a masked value does not
   * pass for the real one.
   */
  readonly redaction?: Redaction;
  /**
   * Seals the counts of calls, like a call: every `everyMs` in which a call was seen, and when the client closes. No
   * reports when absent.
   */
  readonly coverage?: { readonly everyMs?: number };
  /** Gets the counts of `stats`, as the metrics `cer.client.*`: `metrics.getMeter('app')` of `@opentelemetry/api`. */
  readonly meter?: Meter;
  /** Called after a certificate is attested. */
  readonly onCertified?: (call: CertifiedCall) => void;
  /** Called after a project is registered. */
  readonly onProject?: (project: CertifiedProject) => void;
  /** Called when no node will take a sealed bundle; file spools keep it in `dead.ndjson`. */
  readonly onDeadLetter?: (bundle: string, code: string) => void;
  /**
   * For platforms that stop a program when its request is answered: called with a promise when evidence is stored. The
   * promise settles when the evidence is sent, or after 10 s; it never rejects. Absent: only `flush` and `close` wait.
   */
  readonly waitUntil?: (work: Promise<void>) => void;
  /**
   * Called for every fault of the observer. Without it faults are counted, and the first refusal that an operator has to
   * correct, such as of the key, is a warning of the process.
   */
  readonly onError?: (error: unknown) => void;
  /** The fetch for the node and, unless one is named, for observed calls. */
  readonly fetch?: typeof globalThis.fetch;
  /** Maximum milliseconds of one attempt of a request to the node. 30 s when absent. */
  readonly timeoutMs?: number;
  /** Maximum further attempts of `node` after the first. 3 when absent. */
  readonly retries?: number;
}

/** Settings with every default in place. */
export interface Settings extends CertificatesOptions {
  readonly nodeUrl: string;
  readonly fetch: typeof globalThis.fetch;
  readonly spoolDir: string | null;
}

/** @throws TypeError for options that are missing, malformed, or contradict each other */
export function settingsOf(options: CertificatesOptions): Settings {
  const { environment } = platform;
  const nodeUrl = addressOf(options.nodeUrl ?? environment['CER_NODE_URL'] ?? '', ' (or set CER_NODE_URL)');
  const apiKey = options.apiKey ?? environment['CER_API_KEY'];
  if ((protocolOf(options) === '1.3.1') !== (options.confidential !== undefined)) {
    throw new TypeError('protocol: 1.3.1 and the option confidential need each other');
  }
  return {
    ...options,
    onError: options.onError ?? warnOfRefusal,
    nodeUrl,
    fetch: options.fetch ?? globalThis.fetch,
    // An empty variable is a missing one.
    spoolDir: options.spoolDir === undefined ? environment['CER_SPOOL_DIR'] || platform.spoolDir : options.spoolDir,
    ...(apiKey !== undefined && apiKey !== '' && { apiKey }),
  };
}

/** The protocol that certificates are sealed under. */
export function protocolOf({ protocol, confidential }: CertificatesOptions): Protocol {
  return protocol ?? (confidential === undefined ? '1.3.0' : '1.3.1');
}
