import * as z from 'zod';
import type { JsonObject } from '@cer/canonical-json';
import { isSha256Hash } from '@cer/cer-core';
import { checkRequest, ok, parseJsonBody } from '@cer/http-service';
import type { AuditLog } from '../audit-log/audit-log.js';
import type { AdminGate } from '../auth/admin-gate.js';
import { envelopeVersionOf, recertify, recertifyHash, type Recertified, type RecertifyDeps } from './recertify.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import { requestSchema } from '../openapi/request-schema.js';
import { RECERTIFIED_ANSWER } from './record-answers.js';

export interface RecertifyRouteDeps extends RecertifyDeps {
  readonly adminGate: AdminGate;
  readonly auditLog: AuditLog;
}

const MAX_HASHES = 1000;
/** Maximum records of a filter that one page inspects. */
const PAGE_ROWS = 1000;
/** Maximum records in memory: each may have megabytes. */
const ROWS_A_READ = 20;

const version = /^\d{1,6}\.\d{1,6}\.\d{1,6}$/;
const cursor = /^\d{1,15}$/;

const Filter = z.strictObject({
  attestedBefore: z.iso.datetime({ error: 'must be a UTC time' }).optional(),
  envelopeVersionBelow: z.string().regex(version, { error: 'must be a version of three numbers' }).optional(),
});

const Hash = z.string().refine(isSha256Hash, { error: 'must be sha256: and 64 lower-case hex digits' });

const RecertifyRequest = z
  .strictObject({
    certificateHashes: z.array(Hash).min(1).max(MAX_HASHES).optional(),
    filter: Filter.optional(),
    cursor: z.string().regex(cursor, { error: 'must be the next of an earlier page' }).optional(),
    dryRun: z.boolean().optional(),
  })
  .refine(({ certificateHashes, filter }) => (certificateHashes === undefined) !== (filter === undefined), {
    error: 'must have exactly one of certificateHashes, filter',
  })
  .refine((request) => request.cursor === undefined || request.filter !== undefined, {
    error: 'cursor goes with a filter',
  });

type FilterPage = Readonly<{ filter: z.output<typeof Filter>; after: number; isDryRun: boolean }>;

/** @see docs/spec.md, "Admin routes" */
export function recertifyRoutes(deps: RecertifyRouteDeps): DescribedRoute[] {
  const { adminGate, auditLog } = deps;
  return [
    {
      method: 'POST',
      path: '/v1/admin/recertify-batch',
      description: {
        group: 'Administration',
        summary: 'Attest stored records again, by their hashes or by a filter',
        access: 'admin',
        body: { schema: requestSchema(RecertifyRequest) },
        success: { 200: { schema: RECERTIFIED_ANSWER, description: 'A result for each record.' } },
        errors: ['ATTESTATION_ERROR'],
      },
      admit: adminGate.admit,
      mediaTypes: ['application/json'],
      handler: async (request) => {
        const asked = checkRequest(RecertifyRequest, parseJsonBody(request));
        const isDryRun = asked.dryRun ?? false;
        const hashes = [...new Set(asked.certificateHashes)];
        const filter = asked.filter ?? {};
        const after = Number(asked.cursor ?? 0);
        const what: JsonObject =
          asked.filter === undefined
            ? { certificateHashes: hashes }
            : { filter: { ...timeOf(filter), ...versionOf(filter) }, after };
        // Logged first, so that every act has an entry. A dry run changes nothing, including the log.
        const auditSeq = isDryRun
          ? null
          : await auditLog.append({
              act: 'records.recertify',
              target: null,
              actor: adminGate.actorOf(request),
              requestId: request.requestId,
              details: what,
            });
        if (asked.filter !== undefined) {
          return ok({
            ok: true,
            dryRun: isDryRun,
            ...(await recertifyPage(deps, { filter, after, isDryRun })),
            auditSeq,
          });
        }
        const results: Recertified[] = [];
        for (const hash of hashes) results.push(await recertifyHash(deps, hash, isDryRun));
        return ok({ ok: true, dryRun: isDryRun, results, next: null, auditSeq });
      },
    },
  ];
}

async function recertifyPage(
  deps: RecertifyDeps,
  { filter, after, isDryRun }: FilterPage,
): Promise<{ results: readonly Recertified[]; next: string | null }> {
  const { attestedBefore } = timeOf(filter);
  const below = filter.envelopeVersionBelow;
  const results: Recertified[] = [];
  let place = after;
  for (let seen = 0; seen < PAGE_ROWS; seen += ROWS_A_READ) {
    const found = await deps.store.recordScan.after(place, attestedBefore ?? null, ROWS_A_READ);
    for (const { seq, record } of found) {
      place = seq;
      if (below !== undefined && !isBelow(envelopeVersionOf(record), below)) continue;
      results.push(await recertify(deps, record, isDryRun));
    }
    if (found.length < ROWS_A_READ) return { results, next: null };
  }
  return { results, next: String(place) };
}

/** In the node's own time format, so that texts compare like times. */
function timeOf({ attestedBefore }: FilterPage['filter']): { attestedBefore?: string } {
  return attestedBefore === undefined ? {} : { attestedBefore: new Date(attestedBefore).toISOString() };
}

function versionOf({ envelopeVersionBelow }: FilterPage['filter']): { envelopeVersionBelow?: string } {
  return envelopeVersionBelow === undefined ? {} : { envelopeVersionBelow };
}

/** A record without an envelope is below every version. */
function isBelow(found: string | null, bound: string): boolean {
  if (found === null || !version.test(found)) return true;
  const [a, b] = [found, bound].map((text) => text.split('.').map(Number));
  for (let part = 0; part < 3; part += 1) {
    const difference = (a?.[part] ?? 0) - (b?.[part] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
