import { CerError } from '@cer/cer-core';
import { isPng, readPicture } from '@cer/cer-core/picture';

/** JSON text, and the picture that it came in. */
export interface Source {
  readonly json: Uint8Array | string;
  /** The picture without its certificate; null for a source that is not a PNG. */
  readonly png: Uint8Array | null;
}

/**
 * The JSON of a source: of a PNG the certificate that it carries, else the source itself.
 * @throws CerError SCHEMA_ERROR for a PNG that breaks a rule or carries no certificate
 * @see docs/spec.md, "Certificates in pictures"
 */
export function openSource(source: Uint8Array | string): Source {
  if (typeof source === 'string' || !isPng(source)) return { json: source, png: null };
  const { png, certificate } = readPicture(source);
  if (certificate === null) throw new CerError('SCHEMA_ERROR', '', 'the picture carries no certificate');
  return { json: certificate, png };
}
