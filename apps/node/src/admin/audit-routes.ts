import * as z from 'zod';
import type { AuditHead, SignedAuditEntry } from '@cer/cer-core/logs';
import { checkQuery, ndjson, ok, otlpLogs, type LogEvent } from '@cer/http-service';
import { OTLP_LOGS } from '@cer/http-service/openapi';
import type { AdminGate } from '../auth/admin-gate.js';
import type { Signing } from '../signing/signing.js';
import type { AuditRow, AuditStore } from '../store/index.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import { queryOf } from '../openapi/request-schema.js';
import { AUDIT_ANSWER } from './record-answers.js';

export interface AuditRouteDeps {
  readonly audit: AuditStore;
  readonly adminGate: AdminGate;
  readonly signing: Pick<Signing, 'published'>;
}

export const AuditQuery = z.strictObject({
  after: z
    .string()
    .regex(/^(0|[1-9]\d{0,14})$/, { error: 'must be a whole number' })
    .default('0'),
  limit: z
    .string()
    .regex(/^([1-9]\d{0,2}|1000)$/, { error: 'must be a whole number from 1 to 1000' })
    .default('100'),
  format: z.enum(['json', 'ndjson', 'otlp']).default('json'),
});

/** @see docs/spec.md, "Audit log" */
export function auditRoutes({ audit, adminGate, signing }: AuditRouteDeps): DescribedRoute[] {
  return [
    {
      method: 'GET',
      path: '/v1/admin/audit',
      description: {
        group: 'Administration',
        summary: 'The log of administrative acts',
        access: 'admin',
        query: queryOf(AuditQuery, {
          after: 'Entries after this seq.',
          limit: 'Entries a page, 1 to 1000.',
          format: 'One JSON document, one entry per line, or OTLP logs.',
        }),
        success: {
          200: {
            schema: { anyOf: [AUDIT_ANSWER, OTLP_LOGS] },
            mediaTypes: ['application/json', 'application/x-ndjson'],
            description: 'Entries, the head of the log, and where to go on; with format=otlp logs of OpenTelemetry.',
          },
        },
      },
      admit: adminGate.admit,
      handler: async ({ query }) => {
        const { after, limit, format } = checkQuery(AuditQuery, query);
        // Reads the head first: entries added concurrently are on this page or a later one, never beyond the head.
        const last = await audit.last();
        const rows = await audit.after(Number(after), Number(limit));
        const shown = rows.filter(({ seq }) => last !== null && seq <= last.seq);
        if (format === 'ndjson') return ndjson(shown.map(signedEntry));
        if (format === 'otlp') return ok(otlpLogs('execution-certification-node', 'audit', shown.map(eventOf)));
        const reached = shown.at(-1)?.seq ?? Number(after);
        return ok({
          entries: shown.map(signedEntry),
          head: last === null ? null : headOf(last, signing.published().document.nodeId),
          next: last !== null && reached < last.seq ? reached : null,
        });
      },
    },
  ];
}

function signedEntry({ entryJson, hash, kid, signature }: AuditRow): Omit<SignedAuditEntry, 'entry' | 'hash'> & {
  readonly entry: unknown;
  readonly hash: string;
} {
  return { entry: JSON.parse(entryJson), hash, kid, signature };
}

/** An entry as an event; what collectors cannot check, hash and signature, goes with it as text. */
function eventOf({ entryJson, hash, kid, signature }: AuditRow): LogEvent {
  const { at, act, details, ...members } = LoggedEntry.parse(JSON.parse(entryJson));
  return { at, name: act, attributes: { ...members, details: JSON.stringify(details), hash, kid, signature } };
}

const LoggedEntry = z.object({
  seq: z.number(),
  prevHash: z.string().nullable(),
  at: z.string(),
  act: z.string(),
  target: z.string().nullable(),
  actor: z.string(),
  requestId: z.string().nullable(),
  details: z.unknown(),
});

function headOf({ seq, hash, kid, signature }: AuditRow, nodeId: string): Omit<AuditHead, 'hash'> & { hash: string } {
  return { nodeId, seq, hash, kid, signature };
}
