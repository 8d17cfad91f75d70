import { hostname } from 'node:os';
import type { Logger } from '@cer/http-service/process';
import { auditSource } from '../alerts/audit-source.js';
import { readEndpoints } from '../alerts/endpoints.js';
import { createPostWebhook } from '../alerts/post-webhook.js';
import { resolveBySystem } from '../alerts/public-address.js';
import { createQuotaSource, type QuotaSource } from '../alerts/quota-source.js';
import {
  deadLetterSource,
  haltedLogSource,
  readinessSource,
  retiringKeySource,
  revokedKeySource,
  timestampingSource,
} from '../alerts/sources.js';
import { startAlerts } from '../alerts/start-alerts.js';
import { createWitnessSource, type WitnessSource } from '../alerts/witness-source.js';
import type { CommitmentSecrets } from '../certify/commitment-secrets.js';
import { gatherReadiness } from '../cores/status-of-team.js';
import type { Team } from '../cores/team.js';
import { createReadiness } from '../status/readiness.js';
import type { NodeLog } from '../log/node-log.js';
import type { Signing } from '../signing/signing.js';
import type { Store } from '../store/index.js';
import { tenantRecipients } from '../webhooks/tenant-recipients.js';
import { readinessChecks, type NodeDeps } from './app.js';
import type { NodeConfig } from './config.js';

export interface AlertSetupDeps {
  readonly config: Pick<NodeConfig, 'alertsFile' | 'alertsAllowPrivate' | 'tenantWebhooks'>;
  readonly store: Store;
  readonly secrets: CommitmentSecrets;
  readonly signing: Signing;
  /** The workers of this node; null: this process is alone. */
  readonly team: Pick<Team, 'gather' | 'size'> | null;
  readonly now: () => Date;
  readonly logger: Logger;
}

/** The parts of the node that report to alerts, and the start of their delivery. */
export interface AlertSetup extends Pick<WitnessSource, 'listening'> {
  readonly noteUse: QuotaSource['note'];
  readonly start: (
    deps: Pick<NodeDeps, 'keys' | 'restored'> & { readonly log: NodeLog | null; readonly asksAuthorities: boolean },
  ) => { readonly stop: () => Promise<void> };
}

/**
 * @returns null without ALERTS_FILE and with TENANT_WEBHOOKS=0
 * @throws StartupError for a file that cannot be used
 */
export function openAlerts(deps: AlertSetupDeps): AlertSetup | null {
  const { config, store, secrets, signing, team, now, logger } = deps;
  const { alertsFile: file, alertsAllowPrivate, tenantWebhooks } = config;
  if (file === null && tenantWebhooks === null) return null;
  if (file !== null) readEndpoints(file);
  const posting = (allowsPrivate: boolean) => createPostWebhook({ allowsPrivate, resolve: resolveBySystem, now });
  const quota = createQuotaSource();
  const witnesses = createWitnessSource(now);
  return {
    listening: witnesses.listening,
    noteUse: quota.note,
    start: ({ keys, restored, log, asksAuthorities }) => {
      const stopping = new AbortController();
      const ownReasons = createReadiness(readinessChecks({ store, restored, signing, keys, now }));
      // The alert is about the host, as GET /ready is: workers that each report themselves would contradict each other.
      const reasons = async (): Promise<readonly string[]> => {
        const own = await ownReasons();
        // Before it listens, a worker is not among those that are asked.
        return team === null ? own : [...new Set([...own, ...(await gatherReadiness(team)).reasons])];
      };
      const running = startAlerts({
        file,
        webhooks:
          tenantWebhooks === null
            ? null
            : tenantRecipients({ ...store, secrets, post: posting(tenantWebhooks.allowsPrivate), now }),
        store,
        readiness: readinessSource(reasons, hostname()),
        sources: [
          quota,
          deadLetterSource(store),
          witnesses,
          haltedLogSource(store, log),
          retiringKeySource(store),
          revokedKeySource(store),
          ...(asksAuthorities ? [timestampingSource(store)] : []),
        ],
        slowSources: [auditSource({ audit: store.audit, signing, signal: stopping.signal })],
        post: posting(alertsAllowPrivate),
        now,
        logger,
      });
      return {
        stop: async () => {
          stopping.abort();
          await running.stop();
        },
      };
    },
  };
}
