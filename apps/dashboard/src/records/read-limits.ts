import { ByteBudget, ServiceError, type Reservation } from '@cer/http-service';
import { eachMinute, secondsToNextMinute } from './each-minute.js';

/** Parsing and verifying them takes one to two seconds of the process that all accounts share. */
const BYTES_PER_MINUTE = 16 * 1024 * 1024;

/**
 * Bounds the bytes of certificates that are read for one account, in this process and in whole minutes. The first
 * certificate of a minute may have any size.
 * @returns counts the bytes of one certificate, which are given back only where it was not read
 */
export function createReadLimits(now: () => Date): (tenantId: string) => Reservation {
  const refuse = (): ServiceError => readTooMuch(secondsToNextMinute(now()));
  const budgetOf = eachMinute(now, () => new ByteBudget({ totalBytes: BYTES_PER_MINUTE, refuse }));
  return (tenantId) => budgetOf(tenantId).reserve();
}

function readTooMuch(waitS: number): ServiceError {
  return new ServiceError({
    code: 'SERVICE_UNAVAILABLE',
    message: 'Large certificates of this account were opened too often in the last minute. Wait a minute.',
    headers: { 'retry-after': String(waitS) },
  });
}
