import { controlPlaneAt } from '@cer/control-plane';
import { unavailable } from '@cer/http-service';
import type { Secret } from '@cer/http-service/config';
import type * as z from 'zod';
import {
  keyAccountOf,
  KeyIntrospection,
  sessionAccountOf,
  SessionIntrospection,
  type KeyAccount,
  type SessionAccount,
} from './accounts.js';

export interface UsageItem {
  readonly tenantId: string;
  /** Certified, or refused before the node was asked. */
  readonly kind: 'ingest' | 'refused';
  readonly count: number;
}

/** Calls of the bridge to the control plane. Each throws SERVICE_UNAVAILABLE when it cannot be reached. */
export interface ControlPlane {
  /** @param keyHash SHA-256 of the key, hex: the key itself is never sent */
  findKey(keyHash: string): Promise<KeyAccount | null>;
  findSession(tenantId: string, userId: string): Promise<SessionAccount | null>;
  /** @param reportId a report that is repeated under its id counts once */
  reportUsage(reportId: string, items: readonly UsageItem[]): Promise<void>;
}

/** @see docs/spec.md, "Control plane" */
export function httpControlPlane(url: string, token: Secret<string>): ControlPlane {
  const ask = controlPlaneAt(url, token);
  const post = async (...question: Parameters<typeof ask>): Promise<unknown> => {
    try {
      const response = await ask(...question);
      return await response.json();
    } catch (cause) {
      throw gone(cause);
    }
  };
  return {
    findKey: async (keyHash) => keyAccountOf(read(KeyIntrospection, await post('key', { keyHash }))),
    findSession: async (tenantId, userId) =>
      sessionAccountOf(read(SessionIntrospection, await post('session', { tenantId, sub: userId }))),
    reportUsage: async (reportId, items) => {
      await post('usage', { reportId, items });
    },
  };
}

/** An answer of another shape is treated like no answer. */
function read<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.output<Schema> {
  const result = schema.safeParse(answer);
  if (!result.success) throw gone(result.error);
  return result.data;
}

function gone(cause: unknown): Error {
  return unavailable('Accounts cannot be checked now: retry', cause);
}
