import { ServiceError } from '@cer/http-service';
import type { RecordList } from '../../store/index.js';
import type { RecordQuery } from './record-query.js';

/**
 * A list by provider or model would miss records of an earlier release until their rows are described.
 * @throws ServiceError SERVICE_UNAVAILABLE
 */
export async function assertDescribed(
  recordList: Pick<RecordList, 'isUndescribed'>,
  { provider, model }: RecordQuery,
): Promise<void> {
  if ((provider === undefined && model === undefined) || !(await recordList.isUndescribed())) return;
  throw new ServiceError({
    code: 'SERVICE_UNAVAILABLE',
    message: 'provider and model of records of an earlier release are still being indexed: retry later',
    headers: { 'retry-after': '30' },
  });
}
