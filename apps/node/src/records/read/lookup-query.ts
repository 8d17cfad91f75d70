import { isSha256Hash, type Sha256Hash } from '@cer/cer-core';
import { validationError } from '@cer/http-service';

/** The key of a public lookup: exactly one of the two. */
export type LookupQuery =
  | { readonly by: 'certificateHash'; readonly certificateHash: Sha256Hash }
  | { readonly by: 'executionId'; readonly executionId: string };

const MAX_EXECUTION_ID_LENGTH = 256;
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

/** Snake case is the interface, camel case is accepted; a parameter given twice is refused. */
function single(query: URLSearchParams, snakeCase: string, camelCase: string): string | null {
  const values = [...query.getAll(snakeCase), ...query.getAll(camelCase)];
  if (values.length > 1) throw validationError([`${snakeCase}: must be given once`]);
  return values[0] ?? null;
}

/** @throws ServiceError VALIDATION_ERROR @see docs/spec.md, "GET /v1/cer/public" */
export function parseLookupQuery(query: URLSearchParams): LookupQuery {
  const hash = single(query, 'certificate_hash', 'certificateHash');
  const executionId = single(query, 'execution_id', 'executionId');
  if ((hash === null) === (executionId === null)) {
    throw validationError(['query: must have exactly one of certificate_hash, execution_id']);
  }
  if (hash !== null) return { by: 'certificateHash', certificateHash: parseHash(hash, 'certificate_hash') };
  if (executionId === null || executionId === '' || executionId.length > MAX_EXECUTION_ID_LENGTH) {
    throw validationError([`execution_id: must have 1 to ${MAX_EXECUTION_ID_LENGTH} characters`]);
  }
  if (controlCharacter.test(executionId)) {
    throw validationError(['execution_id: must not contain control characters']);
  }
  return { by: 'executionId', executionId };
}

export function parseHashQuery(query: URLSearchParams, snakeCase: string, camelCase: string): Sha256Hash {
  const hash = single(query, snakeCase, camelCase);
  if (hash === null) throw validationError([`${snakeCase}: is required`]);
  return parseHash(hash, snakeCase);
}

export function parseHash(text: string, path: string): Sha256Hash {
  if (isSha256Hash(text)) return text;
  throw validationError([`${path}: must be sha256: and 64 lower-case hex digits`]);
}
