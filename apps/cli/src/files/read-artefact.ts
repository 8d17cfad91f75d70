import { CerError } from '@cer/cer-core';
import { isPng, readPicture } from '@cer/cer-core/picture';
import { UsageError } from '../usage-error.js';
import { nameOf } from './read-bytes.js';
import { parseStrictJson, readStrictJson, type ReadOptions, type StrictJson } from './read-json.js';

/** The input of a verification: JSON, by itself or in a picture. */
export type Artefact = StrictJson & {
  /** The picture without its certificate; null for a file that is not a PNG. */
  readonly png: Uint8Array | null;
};

export interface ArtefactOptions extends ReadOptions {
  /** What is said of a PNG without a certificate. */
  readonly bare?: string;
}

/**
 * Reads JSON, or the certificate that a PNG carries.
 * @throws UsageError for what is neither, and for a PNG without a certificate
 * @see docs/spec.md, "Certificates in pictures"
 */
export function readArtefact(
  bytes: Uint8Array,
  source: string,
  { bare = 'is a PNG that carries no certificate', ...options }: ArtefactOptions = {},
): Artefact {
  if (!isPng(bytes)) return { ...readStrictJson(bytes, source, options), png: null };
  try {
    const { png, certificate } = readPicture(bytes);
    if (certificate === null) throw new UsageError(`${nameOf(source)}: ${bare}`);
    return { ...parseStrictJson(certificate, `${nameOf(source)}, its certificate`, options.levelsAround), png };
  } catch (error) {
    if (!(error instanceof CerError)) throw error;
    const { code, path, message } = error;
    return { value: null, fault: { code, member: path, detail: message, reason: 'BUNDLE_CORRUPTED' }, png: null };
  }
}
