import { z } from 'zod';
import { DEFAULT_PUBLISH_SETTINGS } from '@cer/cer-core';
import type { Secret } from '@cer/http-service';
import type { CacheTimes, KeyDirectory } from './key-directory.js';

/** How long the control plane may take; longer counts as gone. */
const TIMEOUT_MS = 3000;

/** How long its answers are believed. @see docs/spec.md, "Introspection" */
export const CONTROL_PLANE_TIMES: CacheTimes = { foundMs: 30_000, unknownMs: 5000 };

const limit = z.number().int().min(0).max(1_000_000_000).nullable();

// What the node needs of the answer; the rest is for others. @see docs/spec.md, "Introspection"
const Introspection = z.union([
  z.object({ active: z.literal(false) }),
  z.object({
    active: z.literal(true),
    tenantId: z.string().min(1),
    keyId: z.string().min(1),
    scopes: z.array(z.string()),
    accountStatus: z.string(),
    limits: z.object({ requestsPerMinute: limit, executionsPerMonth: limit }).partial().default({}),
    settings: z
      .object({
        publish: z
          .object({
            context: z.boolean(),
            prompt: z.boolean(),
            instruction: z.boolean(),
            metadata: z.union([z.literal('none'), z.literal('all'), z.array(z.string())]),
          })
          .partial(),
      })
      .partial()
      .optional(),
  }),
]);

/** API keys as the control plane knows them. Only the hash of a key is ever sent. */
export function controlPlaneDirectory(url: string, token: Secret<string>): KeyDirectory {
  return {
    find: async (keyHash) => {
      const response = await fetch(`${url}/internal/v1/keys/introspect`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token.reveal()}` },
        body: JSON.stringify({ keyHash }),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (!response.ok) throw new Error(`the control plane answered ${response.status}`);
      const answer = Introspection.parse(await response.json());
      if (!answer.active || answer.accountStatus !== 'active') return null;
      const { tenantId, keyId, scopes, limits, settings } = answer;
      const { requestsPerMinute = null, executionsPerMonth = null } = limits;
      const stated = settings?.publish ?? {};
      return {
        tenantId,
        keyId,
        scopes: new Set(scopes), limits: { requestsPerMinute, executionsPerMonth },
        publish: {
          context: stated.context ?? DEFAULT_PUBLISH_SETTINGS.context,
          prompt: stated.prompt ?? DEFAULT_PUBLISH_SETTINGS.prompt,
          instruction: stated.instruction ?? DEFAULT_PUBLISH_SETTINGS.instruction,
          metadata: stated.metadata ?? DEFAULT_PUBLISH_SETTINGS.metadata,
        },
      };
    },
  };
}
