import { platform } from '#client-platform';
import { NodeError } from './node-api/node-error.js';

let isReported = false;

/**
 * Warns once per process of what an operator has to correct: a refused key, or an address without a node. A node that
 * cannot be reached is not reported: the spool keeps the bundles for it.
 */
export function warnOfRefusal(error: unknown): void {
  if (isReported || !(error instanceof NodeError)) return;
  if (error.code !== 'UNEXPECTED_ANSWER' && error.status !== 401 && error.status !== 403) return;
  isReported = true;
  platform.warn(`calls are not certified yet: ${error.message}`);
}
