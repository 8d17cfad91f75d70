import { json, type ServiceResponse } from '@cer/http-service';
import type { Caller } from '../../control-plane/gate.js';
import { batchCertifier, type CertifyDeps } from '../certify-batch.js';
import type { Item } from '../item.js';

/**
 * Certifies a single request: the node's own status and body, without the openings, which the bridge never passes on.
 * @see docs/spec.md, "Evidence bridge: machine path"
 */
export async function certifyOne(
  deps: CertifyDeps,
  caller: Caller,
  item: Item,
  signal: AbortSignal,
): Promise<ServiceResponse> {
  const [outcome] = await batchCertifier(deps, caller, signal)([item]);
  if (outcome === undefined) throw new Error('a batch of one has one outcome');
  if (outcome.ok) {
    const shown = Object.entries(outcome.answer ?? {}).filter(([name]) => name !== 'openings');
    return json(200, Object.fromEntries(shown), { 'x-certificate-hash': outcome.certificateHash });
  }
  const { status, error, retryAfterS = 1 } = outcome.refusal;
  const retry = status === 503 || status === 429 ? { 'retry-after': String(retryAfterS) } : {};
  return json(status, outcome.answer ?? { error }, retry);
}
