import { JsonError } from '@cer/canonical-json';
import { CerError } from '@cer/cer-core';
import { HTTP_STATUS, ServiceError, validationError } from '@cer/http-service';
import { SignerAwayError } from '../signing/key-holder.js';
import { StoreBusyError } from '../store/ports/store-error.js';

/** HTTP status of each error code of the node. @see docs/spec.md, "Errors" */
export const STATUS = {
  ...HTTP_STATUS,
  PROTOCOL_SCHEMA_UNSATISFIED: 422,
  INVALID_BUNDLE: 400,
  EXECUTION_MUTATION_DETECTED: 409,
  RECORD_REMOVED: 409,
  ATTESTATION_ERROR: 500,
  KEY_ROTATION_IN_PROGRESS: 409,
  KEY_ALREADY_REVOKED: 409,
  KEY_HISTORY_CONFLICT: 409,
  LEGAL_HOLD: 409,
  WEBHOOK_ROTATED: 409,
  ADMIN_NOT_CONFIGURED: 503,
  LOOP_MODE_ERROR: 400,
  PROTOCOL_VIOLATION: 400,
  GONE: 410,
  RENDER_ERROR: 422,
  RENDER_TIMEOUT: 422,
  RENDER_MEMORY_LIMIT: 422,
  RENDER_NOT_REPRODUCIBLE: 422,
  CANNOT_BE_JUDGED: 422,
  QUOTA_EXCEEDED: 429,
  VIDEO_UNAVAILABLE: 501,
  RENDERER_UNAVAILABLE: 503,
} as const satisfies Readonly<Record<string, number>>;

export type NodeCode = keyof typeof STATUS;

const RETRY_AFTER_SECONDS = '1';

/** Content that its own protocol does not allow: 422. */
export function schemaUnsatisfied(details: readonly string[]): ServiceError {
  return new ServiceError({ code: 'PROTOCOL_SCHEMA_UNSATISFIED', details });
}

/** The same answer for hidden, deleted and unknown records. */
export function recordNotFound(): ServiceError {
  return new ServiceError({ code: 'NOT_FOUND', members: { reasonCode: 'RECORD_NOT_FOUND' } });
}

/** Maps errors of the core and the store to service errors; any other error becomes INTERNAL_ERROR. */
export function translateError(error: unknown): ServiceError | undefined {
  if (error instanceof StoreBusyError) {
    return new ServiceError(
      {
        code: 'SERVICE_UNAVAILABLE',
        message: 'too many certificates wait for their commit: retry',
        headers: { 'retry-after': RETRY_AFTER_SECONDS },
      },
      { cause: error },
    );
  }
  if (error instanceof SignerAwayError) {
    return new ServiceError({ code: 'ATTESTATION_ERROR', message: `signer: ${error.message}` }, { cause: error });
  }
  if (error instanceof JsonError && error.code !== 'NO_CANONICAL_FORM') return validationError([error.message]);
  if (error instanceof JsonError || error instanceof CerError) return schemaUnsatisfied([error.message]);
  return undefined;
}

/** Runs signing and storing: an unexpected failure there is ATTESTATION_ERROR, and nothing was acknowledged. */
export async function whileAttesting<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError || error instanceof StoreBusyError || error instanceof CerError) throw error;
    throw new ServiceError(
      { code: 'ATTESTATION_ERROR', message: 'the certificate could not be signed or stored: retry' },
      { cause: error },
    );
  }
}
