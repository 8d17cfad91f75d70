import { HTTP_STATUS, unavailable, type Refusal, type ServiceError } from '@cer/http-service';
import { StoreError } from '@cer/sql-store';

/** Which HTTP status each refusal of the bridge has. @see docs/spec.md, "Evidence bridge: machine path" */
export const STATUS = {
  ...HTTP_STATUS,
  SESSION_CONFLICT: 409,
  BAD_CERTIFICATE: 502,
} as const satisfies Readonly<Record<string, number>>;

export type BridgeCode = keyof typeof STATUS;

/** Messages of refusals that were thrown without one. */
const SENTENCES: ReadonlyMap<string, string> = new Map<BridgeCode, string>([
  ['VALIDATION_ERROR', 'The request is not valid'],
  ['UNAUTHORIZED', 'Authentication required'],
  ['FORBIDDEN', 'This is not allowed'],
  ['NOT_FOUND', 'There is nothing at this address'],
  ['METHOD_NOT_ALLOWED', 'This address does not take this method'],
  ['PAYLOAD_TOO_LARGE', 'The request is too large'],
  ['UNSUPPORTED_MEDIA_TYPE', 'This media type is not taken here'],
  ['RATE_LIMITED', 'Too many requests: slow down'],
  ['SESSION_CONFLICT', 'Another session is active'],
  ['BAD_CERTIFICATE', 'The certificate that the node returned does not verify'],
  ['INTERNAL_ERROR', 'Something failed on our side'],
  ['SERVICE_UNAVAILABLE', 'The service cannot answer now: retry'],
]);

/** `{error: <sentence>}`. A refused credential is never explained. */
export function presentError({ code, message, details }: Refusal): { readonly error: string } {
  const generic = SENTENCES.get(code) ?? code;
  return { error: code === 'UNAUTHORIZED' ? generic : (message ?? details?.join('; ') ?? generic) };
}

/** Maps errors of the store to refusals; any other error stays unknown and becomes INTERNAL_ERROR. */
export function translateError(error: unknown): ServiceError | undefined {
  if (!(error instanceof StoreError) || error.code !== 'STORE_UNAVAILABLE') return undefined;
  return unavailable('The database cannot be reached now: retry', error);
}
