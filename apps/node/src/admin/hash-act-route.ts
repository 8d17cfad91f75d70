import * as z from 'zod';
import { isWellFormed } from '@cer/canonical-json';
import { checkRequest, parseJsonBody, pathParam, type ServiceResponse } from '@cer/http-service';
import type { AuditLog } from '../audit-log/audit-log.js';
import type { AdminGate } from '../auth/admin-gate.js';
import { requestSchema } from '../openapi/request-schema.js';
import type { DescribedRoute, JsonSchema } from '../openapi/route-description.js';
import { parseHash } from '../records/read/lookup-query.js';

export interface HashActDeps {
  readonly adminGate: AdminGate;
  readonly auditLog: AuditLog;
}

/** An act of an administrator on what is under a hash. */
export interface HashAct {
  readonly kind: 'records' | 'projects';
  readonly act: string;
  readonly title: string;
  readonly answer: JsonSchema;
}

/** A request for it that the audit log has. */
export interface LoggedAct {
  readonly hash: string;
  /** Undefined: all tenants. */
  readonly tenant: string | undefined;
  readonly auditSeq: number;
}

// The audit log has no canonical form for a lone surrogate.
const TenantId = z.string().min(1).max(256).refine(isWellFormed, { error: 'must not contain a lone surrogate' });
const Scope = z.strictObject({ tenant: TenantId.optional() });
/** That of a request without a body. */
const ALL_TENANTS: z.output<typeof Scope> = {};

export function hashActRoute(
  { adminGate, auditLog }: HashActDeps,
  { kind, act, title, answer }: HashAct,
  perform: (logged: LoggedAct) => Promise<ServiceResponse>,
): DescribedRoute {
  return {
    method: 'POST',
    path: `/v1/admin/${kind}/:hash/${act}`,
    description: {
      group: 'Administration',
      summary: `${title} what is under the hash of a ${kind === 'records' ? 'certificate' : 'project'}`,
      access: 'admin',
      body: { schema: requestSchema(Scope), optional: true },
      success: { 200: { description: 'How many changed, or are held now.', schema: answer } },
      errors: act === 'delete' ? ['NOT_FOUND', 'LEGAL_HOLD', 'ATTESTATION_ERROR'] : ['NOT_FOUND', 'ATTESTATION_ERROR'],
    },
    admit: adminGate.admit,
    mediaTypes: ['application/json'],
    handler: async (request) => {
      const hash = parseHash(pathParam(request, 'hash'), 'hash');
      const { tenant } = request.body.length === 0 ? ALL_TENANTS : checkRequest(Scope, parseJsonBody(request));
      // Logged first, so that every act has an entry.
      const auditSeq = await auditLog.append({
        act: `${kind}.${act}`,
        target: hash,
        actor: adminGate.actorOf(request),
        requestId: request.requestId,
        details: { tenant: tenant ?? null },
      });
      return perform({ hash, tenant, auditSeq });
    },
  };
}
