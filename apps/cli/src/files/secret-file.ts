import { readFileSync } from 'node:fs';
import { UsageError } from '../usage-error.js';
import { asUsageError } from './read-bytes.js';

/** Reads the secret in a file. @param option that named the file @throws UsageError when it cannot be read */
export function readSecretFile(file: string, option: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const fault = asUsageError(error, file);
    throw fault instanceof UsageError ? new UsageError(`${option}: ${fault.message}`) : fault;
  }
}
