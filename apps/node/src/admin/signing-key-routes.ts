import * as z from 'zod';
import { isTimestamp } from '@cer/keys';
import { REVOCATION_REASONS, type KeyHistoryDocument } from '@cer/keys/key-history';
import { checkRequest, ok, parseJsonBody, pathParam, type ServiceRequest } from '@cer/http-service';
import type { AdminGate } from '../auth/admin-gate.js';
import type { AuditLog } from '../audit-log/audit-log.js';
import type { KeyOperations } from '../signing-keys/key-operations.js';
import type { Signing } from '../signing/signing.js';
import { acceptStatement } from '../signing-keys/accept-statement.js';
import type { SigningKeyStore } from '../store/index.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import { requestSchema } from '../openapi/request-schema.js';
import { plainRoute } from '../status/status-answers.js';
import {
  KEY_HISTORY_ANSWER,
  KEY_HISTORY_REQUEST,
  REVOKED_ANSWER,
  ROTATED_ANSWER,
  STATEMENT_ANSWER,
} from './signing-key-answers.js';

/** Dependencies of the signing key routes besides the keys. */
export interface SigningKeyRouteDeps {
  readonly keyOperations: Pick<KeyOperations, 'rotate' | 'revoke'>;
  readonly keyHistory: { document(): Promise<KeyHistoryDocument> };
  readonly store: { readonly signingKeys: SigningKeyStore };
  readonly signing: Pick<Signing, 'published'>;
  readonly adminGate: AdminGate;
  readonly auditLog: AuditLog;
  readonly now: () => Date;
}

/** About the size of the longest history that a verifier reads. */
const HISTORY_LIMIT_BYTES = 8 * 1024 * 1024;

const RotateRequest = z.strictObject({ immediate: z.boolean().optional() });

const RevokeRequest = z.strictObject({
  reason: z.enum(REVOCATION_REASONS),
  compromisedSince: z.string().refine(isTimestamp, { error: 'must be a timestamp' }).optional(),
});

/** @see docs/spec.md, "Signing keys" and "Key history" */
export function signingKeyRoutes(deps: SigningKeyRouteDeps): DescribedRoute[] {
  const { keyOperations, keyHistory, adminGate, auditLog, signing } = deps;
  const admin = { method: 'POST', admit: adminGate.admit, mediaTypes: ['application/json'] } as const;
  const asked = (request: ServiceRequest): { actor: string; requestId: string } => ({
    actor: adminGate.actorOf(request),
    requestId: request.requestId,
  });
  return [
    {
      method: 'GET',
      path: '/.well-known/svc-key-history.json',
      description: plainRoute('The key history of the node', 'Every change of its keys.', KEY_HISTORY_ANSWER),
      cors: 'public',
      handler: async () => {
        const { maxAgeSeconds } = signing.published();
        return ok(await keyHistory.document(), { 'cache-control': `public, max-age=${maxAgeSeconds}` });
      },
    },
    {
      ...admin,
      path: '/v1/admin/keys/rotate',
      description: {
        group: 'Administration',
        summary: 'Go on to a new signing key',
        access: 'admin',
        body: { schema: requestSchema(RotateRequest), optional: true },
        success: { 200: { schema: ROTATED_ANSWER, description: 'The new key and since when it signs.' } },
        errors: ['KEY_ROTATION_IN_PROGRESS', 'KEY_HISTORY_CONFLICT', 'ATTESTATION_ERROR'],
      },
      handler: async (request) => {
        const { immediate } =
          request.body.length === 0 ? { immediate: false } : checkRequest(RotateRequest, parseJsonBody(request));
        const rotated = await keyOperations.rotate({ immediate: immediate ?? false }, asked(request), auditLog);
        return ok({ ok: true, ...rotated });
      },
    },
    {
      ...admin,
      path: '/v1/admin/keys/:kid/revoke',
      description: {
        group: 'Administration',
        summary: 'Revoke a signing key',
        access: 'admin',
        body: { schema: requestSchema(RevokeRequest) },
        success: { 200: { schema: REVOKED_ANSWER, description: 'The key is revoked.' } },
        errors: ['NOT_FOUND', 'KEY_ALREADY_REVOKED', 'KEY_HISTORY_CONFLICT', 'ATTESTATION_ERROR'],
      },
      handler: async (request) => {
        const revocation = checkRequest(RevokeRequest, parseJsonBody(request));
        const revoked = await keyOperations.revoke(pathParam(request, 'kid'), revocation, asked(request), auditLog);
        return ok({ ok: true, status: 'revoked', ...revoked });
      },
    },
    {
      ...admin,
      path: '/v1/admin/key-history',
      description: {
        group: 'Administration',
        summary: 'Take a key history that the root key signed',
        access: 'admin',
        body: { schema: KEY_HISTORY_REQUEST },
        success: {
          200: { schema: STATEMENT_ANSWER, description: 'The version of the statement and how far it reaches.' },
        },
        errors: ['KEY_HISTORY_CONFLICT'],
      },
      bodyLimitBytes: HISTORY_LIMIT_BYTES,
      handler: async (request) => {
        const taken = await acceptStatement(deps, parseJsonBody(request), asked(request));
        return ok({ ok: true, ...taken });
      },
    },
  ];
}
