import { IMPLIED_PROTOCOL_VERSION, PROTOCOLS, RECOMMENDED_PROTOCOL_VERSION } from '@cer/cer-core';
import { json, metricsHandler, ok, type Metrics, type Route } from '@cer/http-service';
import type { Signing } from '../signing/signing.js';
import { createReadiness, type ReadinessChecks } from './readiness.js';
import type { Runtime } from './runtime.js';

export interface DiscoveryDeps {
  readonly signing: Pick<Signing, 'published'>;
  readonly runtime: Runtime;
  readonly metrics: Metrics;
  readonly readiness: ReadinessChecks;
}

const SERVICE = 'execution-certification-node';
const WELL_KNOWN = '/.well-known/svc-node.json';

export function discoveryRoutes({ signing, runtime, metrics, readiness }: DiscoveryDeps): Route[] {
  const failingChecks = createReadiness(readiness);
  const about = () => ({
    service: SERVICE,
    nodeId: signing.published().document.nodeId,
    activeKid: signing.published().document.activeKid,
    status: 'ok',
    version: runtime.version,
    protocolVersion: IMPLIED_PROTOCOL_VERSION,
    protocol: { default: RECOMMENDED_PROTOCOL_VERSION, supported: [...PROTOCOLS.keys()] },
    wellKnown: WELL_KNOWN,
  });
  return [
    { method: 'GET', path: '/', cors: 'public', handler: async () => ok(about()) },
    {
      method: 'GET',
      path: '/version',
      cors: 'public',
      handler: async () => ok({ ...about(), runtime: runtime.facts, nodeRuntimeHash: runtime.hash }),
    },
    {
      method: 'GET',
      path: WELL_KNOWN,
      cors: 'public',
      handler: async () => {
        const { document, maxAgeSeconds } = signing.published();
        return ok(document, { 'cache-control': `public, max-age=${maxAgeSeconds}` });
      },
    },
    { method: 'GET', path: '/health', cors: 'public', handler: async () => ok({ status: 'ok' }) },
    {
      method: 'GET',
      path: '/ready',
      cors: 'public',
      handler: async () => {
        const reasons = await failingChecks();
        return reasons.length === 0 ? ok({ status: 'ready' }) : json(503, { status: 'not ready', reasons });
      },
    },
    { method: 'GET', path: '/metrics', cors: 'public', handler: metricsHandler(metrics) },
  ];
}
