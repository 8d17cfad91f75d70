import { platform } from '#client-platform';
import type { Json, JsonMembers } from './json.js';

/** A certificate that a node attested. */
export interface CertifiedCall {
  readonly executionId: string | null;
  readonly certificateHash: string;
  readonly verificationUrl: string | null;
  /** The whole answer of the node. */
  readonly answer: JsonMembers;
}

export interface CertificatesOptions {
  /** The program, as certificates name it. */
  readonly appId: string;
  /** Absent: the variable `CER_NODE_URL`. */
  readonly nodeUrl?: string;
  /** Absent: the variable `CER_API_KEY`. */
  readonly apiKey?: string;
  /** Folder of the spool. Absent: `CER_SPOOL_DIR`, else `.cer-spool`; null: in memory, as where there are no files. */
  readonly spoolDir?: string | null;
  /** Maximum bytes of sealed bundles that wait. 256 MiB when absent. */
  readonly maxSpoolBytes?: number;
  /** Maximum bytes of an answer that is folded; a larger one is bound by the hash of its bytes. 8 MiB when absent. */
  readonly maxContentBytes?: number;
  /**
   * With a full spool: `count` (when absent) makes the call without a certificate and counts it; `throw-before-call`
   * refuses the call before it is made.
   */
  readonly onFull?: 'count' | 'throw-before-call';
  /** Which calls to certify. Absent: all. A call that is left out is counted as skipped. */
  readonly certify?: (call: { readonly url: string; readonly body: Json }) => boolean;
  /** Called after a certificate is attested. */
  readonly onCertified?: (call: CertifiedCall) => void;
  /** Called when no node will take a sealed bundle; file spools keep it in `dead.ndjson`. */
  readonly onDeadLetter?: (bundle: string, code: string) => void;
  /** Called for every fault of the observer. Without it faults are only counted. */
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

/** @throws TypeError for an address that is missing or malformed, or holds a password */
export function settingsOf(options: CertificatesOptions): Settings {
  const { environment } = platform;
  const given = options.nodeUrl ?? environment['CER_NODE_URL'] ?? '';
  if (!/^https?:\/\//i.test(given) || !URL.canParse(given)) {
    throw new TypeError('nodeUrl: must be a http or https address (or set CER_NODE_URL)');
  }
  const { username, password, href } = new URL(given);
  if (username !== '' || password !== '') throw new TypeError('nodeUrl: must not hold a password');
  const apiKey = options.apiKey ?? environment['CER_API_KEY'];
  return {
    ...options,
    nodeUrl: href.replace(/\/+$/, ''),
    fetch: options.fetch ?? globalThis.fetch,
    spoolDir: options.spoolDir === undefined ? (environment['CER_SPOOL_DIR'] ?? platform.spoolDir) : options.spoolDir,
    ...(apiKey !== undefined && apiKey !== '' && { apiKey }),
  };
}
