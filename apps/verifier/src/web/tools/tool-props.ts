import type { CertificateCheck } from '../../check/check-result.js';
import type { Engine } from '../engine.js';

/** Input of a tool: a certificate, and its latest result. */
export interface ToolProps {
  readonly engine: Engine;
  readonly source: Uint8Array | string;
  /** The pinned keys, as text. */
  readonly keySet: string | null;
  /** PEM of the chosen time authorities. */
  readonly tsaRoots: string | null;
  /** The text of the chosen log policy. */
  readonly logPolicy: string | null;
  readonly check: CertificateCheck;
}
