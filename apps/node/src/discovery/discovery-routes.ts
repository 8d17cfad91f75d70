import { IMPLIED_PROTOCOL_VERSION, PROTOCOLS, RECOMMENDED_PROTOCOL_VERSION } from '@cer/cer-core';
import type { KeySetDocument } from '@cer/keys';
import { json, metricsHandler, ok, type Metrics, type Route } from '@cer/http-service';
import type { Runtime } from './runtime.js';

export interface DiscoveryDeps {
  readonly keySetDocument: KeySetDocument;
  readonly runtime: Runtime;
  readonly metrics: Metrics;
  /** What must work before the node may be sent requests, by name. */
  readonly readiness: Readonly<Record<string, () => Promise<void>>>;
}

/** How long a verifier may keep the key set; a new key is published that long before it signs. */
export const KEY_SET_MAX_AGE_S = 60;

const SERVICE = 'execution-certification-node';
const WELL_KNOWN = '/.well-known/svc-node.json';

export function discoveryRoutes({ keySetDocument, runtime, metrics, readiness }: DiscoveryDeps): Route[] {
  const { nodeId, activeKid } = keySetDocument;
  const about = {
    service: SERVICE,
    nodeId,
    activeKid,
    status: 'ok',
    version: runtime.version,
    protocolVersion: IMPLIED_PROTOCOL_VERSION,
    protocol: { default: RECOMMENDED_PROTOCOL_VERSION, supported: [...PROTOCOLS.keys()] },
    wellKnown: WELL_KNOWN,
  };
  return [
    { method: 'GET', path: '/', cors: 'public', handler: async () => ok(about) },
    {
      method: 'GET',
      path: '/version',
      cors: 'public',
      handler: async () => ok({ ...about, runtime: runtime.facts, nodeRuntimeHash: runtime.hash }),
    },
    {
      method: 'GET',
      path: WELL_KNOWN,
      cors: 'public',
      handler: async () => ok(keySetDocument, { 'cache-control': `public, max-age=${KEY_SET_MAX_AGE_S}` }),
    },
    { method: 'GET', path: '/health', cors: 'public', handler: async () => ok({ status: 'ok' }) },
    {
      method: 'GET',
      path: '/ready',
      cors: 'public',
      handler: async () => {
        const reasons = await failingChecks(readiness);
        return reasons.length === 0 ? ok({ status: 'ready' }) : json(503, { status: 'not ready', reasons });
      },
    },
    { method: 'GET', path: '/metrics', cors: 'public', handler: metricsHandler(metrics) },
  ];
}

/** Names only: what went wrong may quote an address or a password, and this route needs no key. */
async function failingChecks(checks: DiscoveryDeps['readiness']): Promise<string[]> {
  const outcomes = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      try {
        await check();
        return null;
      } catch {
        return `${name}: is not available`;
      }
    }),
  );
  return outcomes.filter((reason) => reason !== null);
}
