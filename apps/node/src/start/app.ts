import type { RequestListener } from 'node:http';
import express from 'express';
import type { TimestampVerifier } from '@cer/cer-core/verify';
import { hashApiKey } from '@cer/control-plane';
import { createRouter, hotRoutes, ServiceError, type RouterOptions } from '@cer/http-service';
import type { Secret } from '@cer/http-service/config';
import type { Logger, Metrics, Trace } from '@cer/http-service/process';
import { createAdminGate } from '../auth/admin-gate.js';
import { legalHoldRoutes } from '../admin/legal-hold-routes.js';
import { recertifyRoutes } from '../admin/recertify-routes.js';
import { visibilityRoutes } from '../admin/visibility-routes.js';
import { attestRoutes } from '../attest/attest-routes.js';
import { exportRoutes } from '../export/export-routes.js';
import type { AuditLog } from '../audit-log/audit-log.js';
import { alertRoutes } from '../admin/alert-routes.js';
import { auditRoutes } from '../admin/audit-routes.js';
import { createGate, type Gate } from '../auth/authenticate.js';
import type { KeyDirectory } from '../auth/key-directory.js';
import { LineRoom } from '../batch/line-room.js';
import { coverageRoutes } from '../coverage/coverage-routes.js';
import type { RefusalCounts } from '../coverage/refusals.js';
import { certifyRoutes } from '../certify/certify-routes.js';
import { BYTES_AT_ONCE, nodeLimits } from '../cores/node-limits.js';
import type { Team } from '../cores/team.js';
import type { CommitmentSecrets } from '../certify/commitment-secrets.js';
import type { ReadinessChecks } from '../status/readiness.js';
import { statusRoutes } from '../status/status-routes.js';
import type { Runtime } from '../status/runtime.js';
import { STATUS, translateError } from '../errors/refusals.js';
import type { Quota } from '../limits/quota.js';
import { createRateLimits, type RateLimitSettings } from '../auth/rate-limits.js';
import { createVerifyBudget, VERIFY_BUDGET, type VerifyBudgetSettings } from '../limits/verify-budget.js';
import type { LargeWork, LargeWorkDeps } from '../large-work/large-work.js';
import { WorkTurns } from '../limits/work-turns.js';
import { lookupRoutes } from '../records/read/lookup-routes.js';
import { measureQueues, nodeMetrics } from '../metrics/node-metrics.js';
import { logWarnings, measureLog } from '../log/log-state.js';
import type { NodeLog } from '../log/node-log.js';
import { logRoutes } from '../log-routes/log-routes.js';
import { openApiRoutes } from '../openapi/openapi-routes.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import { projectRoutes } from '../projects/project-routes.js';
import type { Marking } from '../restore-mark/marking.js';
import { closedUntilAccepted, type RestoredStore } from '../restore-mark/restored-store.js';
import { recordListRoutes } from '../records/list/list-routes.js';
import { renderRoutes, type RenderSettings } from '../render/render-routes.js';
import { signingKeyRoutes, type SigningKeyRouteDeps } from '../admin/signing-key-routes.js';
import type { Signing } from '../signing/signing.js';
import type { Store } from '../store/index.js';
import { settingsRoutes } from '../admin/settings-routes.js';
import { ownSettingsRoute } from '../records/own-settings-route.js';
import { tracedSigning } from '../tracing/traced-signing.js';
import { verifyRoutes } from '../verify/verify-routes.js';
import { webhookRoutes, type WebhookRouteDeps } from '../webhooks/webhook-routes.js';

/** Body sizes in bytes. */
export interface BodyLimits {
  readonly bodyLimitBytes: number;
  readonly batchLimitBytes: number;
  readonly verifyLimitBytes: number;
  readonly projectLimitBytes: number;
  readonly projectVerifyLimitBytes: number;
}

export interface NodeDeps extends BodyLimits {
  readonly store: Store;
  readonly keys: KeyDirectory;
  readonly signing: Signing;
  readonly keyOperations: SigningKeyRouteDeps['keyOperations'];
  readonly keyHistory: SigningKeyRouteDeps['keyHistory'];
  readonly secrets: CommitmentSecrets;
  readonly quota: Quota;
  readonly refusals: RefusalCounts;
  /** The only instance of this process, so that its entries are appended sequentially. */
  readonly auditLog: AuditLog;
  /** Verifies external timestamps; absent: tokens are ignored. */
  readonly timestamps?: TimestampVerifier | null;
  /** Null or absent: no transparency log. */
  readonly log?: NodeLog | null;
  readonly runtime: Runtime;
  readonly render: RenderSettings;
  readonly verifyUrl: string;
  readonly tenantWebhooks?: WebhookRouteDeps['tenantWebhooks'];
  /** Absent: only the limits of plans apply. */
  readonly rateLimits?: RateLimitSettings;
  readonly verifyBudget?: VerifyBudgetSettings;
  /** Absent: the admin routes are closed. */
  readonly adminSecret?: Secret<string> | undefined;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Absent: no tracing. */
  readonly trace?: Trace | undefined;
  readonly trustedProxies?: RouterOptions['trustedProxies'];
  readonly stallMs?: RouterOptions['stallMs'];
  readonly now: () => Date;
  /** Certification is closed while the database is older than this machine's mark, until that is accepted. */
  readonly restored: RestoredStore;
  /** Absent: nothing is marked. */
  readonly marking?: Pick<Marking, 'warning'>;
  /** Makes the threads for large bodies; absent: large bodies are worked on here. The caller closes them. */
  readonly openLargeWork?: (deps: LargeWorkDeps) => Pick<LargeWork, 'run' | 'verify'>;
  /** The workers of this node; absent: this process is alone. */
  readonly team?: Team | null;
}

/** All routes of the node, as data: tests compare them with the interface document. */
export function nodeRoutes(deps: NodeDeps): DescribedRoute[] {
  const api = apiRoutes(deps);
  return [...api, ...openApiRoutes(deps.runtime.version, api)];
}

function apiRoutes(deps: NodeDeps): DescribedRoute[] {
  return openRoutes(deps).map((route) => closedUntilAccepted(route, deps.restored));
}

function openRoutes(deps: NodeDeps): DescribedRoute[] {
  const { store } = deps;
  const { slots, points, partOf } = nodeLimits(deps.team ?? null);
  const rates = createRateLimits(deps.rateLimits ?? {}, store.ratePoints, () => performance.now());
  const turns = new WorkTurns();
  const gate = notingCallers(createGate(deps.keys, rates), turns);
  const adminGate = createAdminGate({ adminSecret: deps.adminSecret, now: deps.now, locks: deps.team?.adminLocks });
  const budget = deps.verifyBudget ?? VERIFY_BUDGET;
  const bytesAtOnce = partOf(budget.bytesAtOnce);
  const verifyBudget = createVerifyBudget({ ...budget, bytesAtOnce }, { points, slots });
  const { batchLines } = nodeMetrics(deps.metrics);
  measureQueues(deps.metrics, {
    commits: () => store.pendingRecords(),
    verifications: () => verifyBudget.waiting(),
  });
  const signing = tracedSigning(deps.signing, deps.trace);
  measureLog(deps.metrics, store, deps.log ?? null, deps.now);
  const shared = {
    ...deps,
    signing,
    log: deps.log ?? null,
    largeWork: deps.openLargeWork?.({
      ...deps,
      log: deps.log ?? null,
      records: store.records,
      fullRecords: store.records,
      projects: store.projects,
      signing,
      turns,
    }),
    batchLines,
    verifyBudget,
    turns,
    slots,
    lineRoom: new LineRoom(partOf(BYTES_AT_ONCE)),
    gate,
    adminGate,
    records: store.records,
  };
  return [
    ...certifyRoutes(shared),
    ...attestRoutes(shared),
    ...verifyRoutes(shared),
    ...lookupRoutes(shared),
    ...projectRoutes(shared),
    ...recordListRoutes({ ...shared, recordList: store.recordList }),
    ...exportRoutes({ ...shared, recordList: store.recordList }),
    ...coverageRoutes(shared),
    ownSettingsRoute(shared),
    ...webhookRoutes(shared),
    ...renderRoutes(shared),
    ...logRoutes(shared),
    ...statusRoutes({
      ...deps,
      readiness: readinessChecks(deps),
      warnings: async () => {
        const ofLog = await logWarnings(store.log, deps.log ?? null);
        const ofMark = deps.marking?.warning() ?? null;
        return ofMark === null ? ofLog : [...ofLog, ofMark];
      },
    }),
    ...visibilityRoutes(shared),
    ...legalHoldRoutes(shared),
    ...settingsRoutes(shared),
    ...recertifyRoutes(shared),
    ...signingKeyRoutes(shared),
    ...auditRoutes({ ...shared, audit: store.audit }),
    ...alertRoutes({ ...shared, alerts: store.alerts }),
  ];
}

/** The parts of a node that serve requests. */
export function readinessChecks({
  store,
  restored,
  signing,
  keys,
  now,
}: Pick<NodeDeps, 'store' | 'restored' | 'signing' | 'keys' | 'now'>): ReadinessChecks {
  return {
    store: async () => {
      await store.ping();
      await restored.assertAccepted();
    },
    signer: () => signing.prove(now()),
    apiKeys: () => proveKeys(keys),
  };
}

/** Reports every admitted caller to the turns, which pause for others. */
function notingCallers(gate: Gate, turns: WorkTurns): Gate {
  return {
    ...gate,
    admit: (...scopes) => {
      const admit = gate.admit(...scopes);
      return async (head) => {
        const headers = await admit(head);
        turns.note(gate.callerOf(head).tenantId);
        return headers;
      };
    },
    admitPublic: (head) => {
      turns.note(KEYLESS);
      return gate.admitPublic(head);
    },
  };
}

/** Requests without a key, as one caller. */
const KEYLESS = '';

/** The node as a listener: its API is answered before Express, which serves the pages and unknown paths. */
export function createApp(deps: NodeDeps): RequestListener {
  const { partOf } = nodeLimits(deps.team ?? null);
  const options: RouterOptions = {
    logger: deps.logger,
    metrics: deps.metrics,
    statusOf: STATUS,
    translate: translateError,
    trustedProxies: deps.trustedProxies,
    notFound: { handler: refuseUnknownPath },
    ...(deps.trace !== undefined && { trace: deps.trace }),
    ...(deps.stallMs !== undefined && { stallMs: deps.stallMs }),
    bodiesAtOnceBytes: partOf(BYTES_AT_ONCE),
    answersAtOnceBytes: partOf(BYTES_AT_ONCE),
  };
  const api = apiRoutes(deps);
  const pages = express()
    .disable('x-powered-by')
    .use(createRouter(openApiRoutes(deps.runtime.version, api), options));
  return hotRoutes(api, pages, options);
}

async function refuseUnknownPath(): Promise<never> {
  throw new ServiceError({ code: 'NOT_FOUND', message: 'path: is not a route: see GET /docs' });
}

/** Well-formed hash of no key: readiness only checks that the directory answers. */
const NO_KEY = hashApiKey('ready');

async function proveKeys(keys: KeyDirectory): Promise<void> {
  await keys.find(NO_KEY);
}
