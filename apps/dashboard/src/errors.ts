import { HTTP_STATUS, unavailable, type ServiceError } from '@cer/http-service';
import { StoreError } from '@cer/sql-store';

/** Which HTTP status each refusal of the dashboard has. @see docs/spec.md, "Errors" */
export const STATUS = HTTP_STATUS;
export type DashboardCode = keyof typeof STATUS;

/** Maps errors of the store to refusals; any other error stays unknown and becomes INTERNAL_ERROR. */
export function translateError(error: unknown): ServiceError | undefined {
  if (!(error instanceof StoreError) || error.code !== 'STORE_UNAVAILABLE') return undefined;
  return unavailable('The account data cannot be reached now: retry.', error);
}
