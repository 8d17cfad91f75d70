import { HTTP_STATUS, ServiceError } from '@cer/http-service';
import { StoreError } from '@cer/sql-store';

/** Which HTTP status each refusal of the dashboard has. @see docs/spec.md, "Errors" */
export const STATUS = HTTP_STATUS;
export type DashboardCode = keyof typeof STATUS;

const RETRY_AFTER_S = '1';

/** Maps errors of the store to refusals; any other error stays unknown and becomes INTERNAL_ERROR. */
export function translateError(error: unknown): ServiceError | undefined {
  if (!(error instanceof StoreError) || error.code !== 'STORE_UNAVAILABLE') return undefined;
  return new ServiceError(
    {
      code: 'SERVICE_UNAVAILABLE',
      message: 'The account data cannot be reached now: retry.',
      headers: { 'retry-after': RETRY_AFTER_S },
    },
    { cause: error },
  );
}
