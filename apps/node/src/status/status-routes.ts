import { IMPLIED_PROTOCOL_VERSION, PROTOCOLS, RECOMMENDED_PROTOCOL_VERSION } from '@cer/cer-core';
import { json, ok } from '@cer/http-service';
import { metricsHandler, type Metrics } from '@cer/http-service/process';
import type { Team } from '../cores/team.js';
import { metricsOfTeam, readinessOfTeam, type Readiness } from '../cores/status-of-team.js';
import type { Signing } from '../signing/signing.js';
import { createReadiness, type ReadinessChecks } from './readiness.js';
import type { Runtime } from './runtime.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import {
  HEALTH_ANSWER,
  KEY_SET_ANSWER,
  NODE_ANSWER,
  NOT_READY_ANSWER,
  plainRoute,
  READY_ANSWER,
  VERSION_ANSWER,
} from './status-answers.js';

export interface StatusDeps {
  readonly signing: Pick<Signing, 'published'>;
  readonly runtime: Runtime;
  readonly metrics: Metrics;
  readonly readiness: ReadinessChecks;
  /** Problems that do not stop the node from serving requests, e.g. a halted log. */
  readonly warnings: () => Promise<readonly string[]>;
  /** The workers of this node, who answer about themselves together; absent or null: this process is alone. */
  readonly team?: Pick<Team, 'contribute' | 'gather' | 'size'> | null;
}

const SERVICE = 'execution-certification-node';
const WELL_KNOWN = '/.well-known/svc-node.json';

export function statusRoutes({
  signing,
  runtime,
  metrics,
  readiness,
  warnings,
  team = null,
}: StatusDeps): DescribedRoute[] {
  const failingChecks = createReadiness(readiness);
  const ownReadiness = async (): Promise<Readiness> => {
    const reasons = await failingChecks();
    return { reasons, warnings: reasons.length > 0 ? [] : await warnings() };
  };
  const readinessNow = team === null ? ownReadiness : readinessOfTeam(team, ownReadiness);
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
    {
      method: 'GET',
      path: '/',
      description: plainRoute('Which node this is', 'Its name, active key and versions.', NODE_ANSWER),
      cors: 'public',
      handler: async () => ok(about()),
    },
    {
      method: 'GET',
      path: '/version',
      description: plainRoute('What the node runs', 'The same with its runtime.', VERSION_ANSWER),
      cors: 'public',
      handler: async () => ok({ ...about(), runtime: runtime.facts, nodeRuntimeHash: runtime.hash }),
    },
    {
      method: 'GET',
      path: WELL_KNOWN,
      description: plainRoute('The key set of the node', 'The keys and the life of each.', KEY_SET_ANSWER),
      cors: 'public',
      handler: async () => {
        const { document, maxAgeSeconds } = signing.published();
        return ok(document, { 'cache-control': `public, max-age=${maxAgeSeconds}` });
      },
    },
    {
      method: 'GET',
      path: '/health',
      description: plainRoute('Whether the process is up', 'It is up.', HEALTH_ANSWER),
      cors: 'public',
      handler: async () => ok({ status: 'ok' }),
    },
    {
      method: 'GET',
      path: '/ready',
      description: {
        ...plainRoute('Whether the node may be sent requests', 'It is ready.'),
        success: {
          200: { description: 'It is ready.', schema: READY_ANSWER },
          503: { description: 'It is not ready, with reasons.', schema: NOT_READY_ANSWER },
        },
      },
      cors: 'public',
      handler: async () => {
        const { reasons, warnings: warned } = await readinessNow();
        if (reasons.length > 0) return json(503, { status: 'not ready', reasons });
        return ok({ status: 'ready', ...(warned.length > 0 && { warnings: warned }) });
      },
    },
    {
      method: 'GET',
      path: '/metrics',
      description: {
        ...plainRoute('Metrics', ''),
        success: { 200: { description: 'Prometheus text.', mediaTypes: ['text/plain'] } },
      },
      cors: 'public',
      handler: team === null ? metricsHandler(metrics) : metricsOfTeam(team, metrics),
    },
  ];
}
