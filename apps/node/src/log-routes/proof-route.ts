import { ok, prefers, ServiceError, validationError, type RequestHead, type ServiceResponse } from '@cer/http-service';
import type { Gate } from '../auth/authenticate.js';
import { recordNotFound } from '../errors/refusals.js';
import type { FoundProof, LogProof } from '../log/log-proofs.js';
import type { NodeLog } from '../log/node-log.js';
import { TEXT } from '../openapi/answer-shapes.js';
import { COUNTED, type DescribedRoute } from '../openapi/route-description.js';
import { HASH_QUERY } from '../records/read/lookup-answers.js';
import { parseHash } from '../records/read/lookup-query.js';
import type { Store } from '../store/index.js';

export interface ProofRouteDeps {
  readonly store: Pick<Store, 'records' | 'projects'>;
  readonly log: NodeLog | null;
  readonly gate: Pick<Gate, 'optionalCaller' | 'admitPublic'>;
}

/** The requested hash: exactly one of the two. */
type Asked = { readonly of: 'certificate' | 'project'; readonly hash: string };

/** What in the log may have the requested hash. */
const SOURCES = { certificate: ['record', 'reseal'], project: ['project'] } as const;

const PENDING_RETRY_S = '2';

/** @see docs/spec.md, "GET /v1/log/proof" */
export function proofRoute({ store, log, gate }: ProofRouteDeps): DescribedRoute {
  const find = async (asked: Asked, tenantId: string | null): Promise<FoundProof> => {
    if (log === null) return { status: 'none' };
    if (tenantId !== null) {
      // Of the caller's own records, hidden ones too.
      for (const source of SOURCES[asked.of]) {
        const found = await log.proofs.find(source, { tenantId, hash: asked.hash }, 'owner');
        if (found.status !== 'none') return found;
      }
    }
    const place = await publicPlace(store, asked);
    return place === null ? { status: 'none' } : log.proofs.find(place.source, place, 'public');
  };

  return {
    method: 'GET',
    path: '/v1/log/proof',
    description: {
      group: 'Transparency log',
      summary: 'The proof that a receipt is in the log',
      access: 'public',
      query: [
        { ...HASH_QUERY, description: 'Of a certificate or its reseal.' },
        { name: 'project_hash', description: 'Of a registered project.', schema: { ...TEXT } },
      ],
      success: {
        200: {
          description: 'A tlog-proof; as JSON, which `Accept` asks for, with `notBefore`.',
          mediaTypes: ['text/plain', 'application/json'],
          schema: { type: 'object' },
        },
      },
      errors: ['UNAUTHORIZED', 'NOT_FOUND', ...COUNTED],
    },
    admit: gate.admitPublic,
    cors: 'public',
    handler: async (request) => {
      const asked = parseAsked(request.query);
      const caller = await gate.optionalCaller(request);
      const found = await find(asked, caller?.tenantId ?? null);
      if (found.status === 'none') throw recordNotFound();
      if (found.status === 'pending') throw pending();
      return answer(found.proof, request);
    },
  };
}

async function publicPlace(
  store: ProofRouteDeps['store'],
  { of, hash }: Asked,
): Promise<{ source: 'record' | 'reseal' | 'project'; tenantId: string; hash: string } | null> {
  if (of === 'project') {
    const project = await store.projects.findByHash(hash);
    return project === null ? null : { source: 'project', tenantId: project.tenantId, hash };
  }
  const record = await store.records.findByHash(hash);
  if (record === null) return null;
  return { source: record.certificateHash === hash ? 'record' : 'reseal', tenantId: record.tenantId, hash };
}

function parseAsked(query: URLSearchParams): Asked {
  const certificates = [...query.getAll('certificate_hash'), ...query.getAll('certificateHash')];
  const projects = [...query.getAll('project_hash'), ...query.getAll('projectHash')];
  const [hash] = [...certificates, ...projects];
  if (hash === undefined || certificates.length + projects.length !== 1) {
    throw validationError(['query: must have exactly one of certificate_hash, project_hash']);
  }
  return certificates.length === 1
    ? { of: 'certificate', hash: parseHash(hash, 'certificate_hash') }
    : { of: 'project', hash: parseHash(hash, 'project_hash') };
}

function answer(found: LogProof, request: Pick<RequestHead, 'headers'>): ServiceResponse {
  const headers = { 'cache-control': 'no-store', vary: 'accept' };
  if (prefers(request, 'application/json', 'text/plain')) return ok(found, headers);
  return { status: 200, headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' }, body: found.proof };
}

/** Logged, but not in a published checkpoint yet. */
function pending(): ServiceError {
  return new ServiceError({
    code: 'NOT_FOUND',
    message: 'the log has no published checkpoint with this receipt yet: retry',
    members: { reasonCode: 'LOG_PENDING' },
    headers: { 'retry-after': PENDING_RETRY_S },
  });
}
