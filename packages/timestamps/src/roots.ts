import { decodeBase64 } from '@cer/keys';
import { readCertificate, type TsaCertificate } from './certificate.js';
import { readDer } from './der.js';
import { TimestampError } from './timestamp-error.js';

/** The root certificates that a caller pins and whose tokens it trusts. */
export interface TsaRoots {
  readonly certificates: readonly TsaCertificate[];
}

/** No pinned roots: valid tokens are `untrusted`. */
export const NO_ROOTS: TsaRoots = { certificates: [] };

const MAX_PEM_LENGTH = 1024 * 1024;
const BLOCK = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]*)-----END CERTIFICATE-----/g;

/**
 * Parses a file of pinned roots: one or more PEM certificates, with any text between them.
 * @throws TimestampError TIMESTAMP_ROOTS_INVALID naming the certificate at fault
 */
export function parseTsaRoots(pem: string): TsaRoots {
  const invalid = (rule: string): TimestampError => new TimestampError('TIMESTAMP_ROOTS_INVALID', `roots: ${rule}`);
  if (pem.length > MAX_PEM_LENGTH) throw invalid(`must have at most ${MAX_PEM_LENGTH} characters`);
  const blocks = [...pem.matchAll(BLOCK)].map(([, body = '']) => body.replace(/\s/g, ''));
  if (blocks.length === 0) throw invalid('must hold at least one PEM certificate');
  if (blocks.length !== pem.split('-----BEGIN').length - 1) throw invalid('must hold nothing but PEM certificates');
  return {
    certificates: blocks.map((base64, index) => {
      try {
        return readCertificate(readDer(decodeBase64(base64)));
      } catch {
        throw invalid(`certificate ${index + 1} cannot be read`);
      }
    }),
  };
}
