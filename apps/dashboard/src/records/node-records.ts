import { isJsonObject, type JsonObject } from '@cer/canonical-json';
import type { Reservation } from '@cer/http-service';
import { KeyError, parseKeySet, type NodeKeySet } from '@cer/keys';
import * as z from 'zod';
import { boundedText, isOlder, jsonOf, older, parsed, type AskNode } from './ask-node.js';

const text = z.string();
const RecordRow = z.object({
  certificateHash: text,
  kind: z.enum(['full', 'hash-only']),
  bundleType: text,
  protocolVersion: text.nullable(),
  executionId: text.nullable(),
  appId: text.nullable(),
  provider: text.nullable(),
  model: text.nullable(),
  firstAttestedAt: text,
  timestampedAt: text.nullable(),
  status: z.enum(['visible', 'hidden']),
  verificationUrl: z.url({ protocol: /^https?$/ }),
});
const count = z.int().min(0);
const day = z.iso.date();
const Reported = z.object({
  ...{ clients: count, unclosed: count, seen: count, sealed: count, aborted: count, failed: count, truncated: count },
  ...{ skipped: count, unsealed: count, dropped: count, dead: count, open: count, waiting: count },
});
const CoverageAnswer = z.object({
  from: day,
  to: day,
  isCounted: z.boolean(),
  days: z.array(
    z.object({
      ...{ day, appId: text.nullable(), certified: count, reports: count, refused: count },
      refusals: z.record(text, count),
      reported: Reported.nullable(),
    }),
  ),
});
const CountAnswer = z.object({ count, isExact: z.boolean() });
const RecordsAnswer = z.object({ records: z.array(RecordRow), nextCursor: text.nullable() });

const SettingsAnswer = z.object({
  stated: z.object({
    node: z
      .object({
        retentionDays: count.nullable(),
        visibility: z.enum(['public', 'hidden']).nullable(),
        legalHold: z.boolean().nullable(),
        publish: z
          .object({
            ...{ context: z.boolean(), prompt: z.boolean(), instruction: z.boolean() },
            metadata: z.union([z.enum(['none', 'all']), z.array(text)]),
          })
          .partial()
          .nullable(),
      })
      .nullable(),
  }),
});
const ReviewAnswer = z.object({ certificateHash: text, openings: z.record(text, z.json()) });
const ProofAnswer = z.object({ proof: text, notBefore: text.optional() });

/** @see docs/spec.md, "POST /v1/cer/ai/certify" */
export type CertifiedReview = Readonly<z.output<typeof ReviewAnswer>>;
/** @see docs/spec.md, "GET /v1/log/proof" */
export type LogProof = Readonly<z.output<typeof ProofAnswer>>;
/** @see docs/spec.md, "GET /v1/records/count" */
export type RecordCount = Readonly<z.output<typeof CountAnswer>>;
export type RecordRow = Readonly<z.output<typeof RecordRow>>;
/** @see docs/spec.md, "GET /v1/coverage" */
export type Coverage = Readonly<z.output<typeof CoverageAnswer>>;
export type CoverageDay = Coverage['days'][number];
/** @see docs/spec.md, "GET /v1/settings" */
export type StatedByOperator = Readonly<NonNullable<z.output<typeof SettingsAnswer>['stated']['node']>>;
export type RecordsPage = Readonly<z.output<typeof RecordsAnswer>>;

/**
 * The requests of the pages to the node, for one tenant.
 * @throws ServiceError with a sentence for the reader of the page
 */
export interface NodeRecords {
  list(tenantId: string, query: URLSearchParams): Promise<RecordsPage>;
  /** How many records a list has; null where the node does not count, being of an earlier release. */
  count(tenantId: string, query: URLSearchParams): Promise<RecordCount | null>;
  certificate(tenantId: string, hash: string): Promise<JsonObject>;
  /** The text of a certificate, as the node has it. */
  certificateText(tenantId: string, hash: string): Promise<string>;
  /** The audit package as the node writes it. */
  exported(tenantId: string, query: URLSearchParams, signal: AbortSignal): Promise<Response>;
  coverage(tenantId: string, query: URLSearchParams): Promise<Coverage>;
  /** What the operator of the node set for the tenant; null for nothing. */
  operatorSettings(tenantId: string): Promise<StatedByOperator | null>;
  keySet(): Promise<NodeKeySet>;
  /** The proof that the transparency log holds the receipt. @throws ServiceError NOT_FOUND without one */
  logProof(tenantId: string, hash: string): Promise<LogProof>;
  /** Certifies a review. */
  review(tenantId: string, request: JsonObject): Promise<CertifiedReview>;
}

/**
 * Requests the data of pages from the node.
 * @param reserve counts the bytes of a certificate while they arrive
 */
export function createNodeRecords(ask: AskNode, reserve: (tenantId: string) => Reservation): NodeRecords {
  const certificateText = async (tenantId: string, hash: string): Promise<string> => {
    const query = new URLSearchParams({ certificate_hash: hash });
    const { take, release } = reserve(tenantId);
    try {
      return await boundedText(await ask({ path: `/v1/records/certificate?${query.toString()}`, tenantId }), take);
    } catch (error) {
      release();
      throw error;
    }
  };
  return {
    list: async (tenantId, query) =>
      checked(RecordsAnswer, await ask({ path: `/v1/records?${query.toString()}`, tenantId })),
    count: async (tenantId, query) => {
      try {
        return await checked(CountAnswer, await ask({ path: `/v1/records/count?${query.toString()}`, tenantId }));
      } catch (error) {
        if (isOlder(error)) return null;
        throw error;
      }
    },
    certificate: async (tenantId, hash) => {
      const value = parsed(await certificateText(tenantId, hash));
      if (!isJsonObject(value)) throw older();
      return value;
    },
    certificateText,
    exported: (tenantId, query, ended) => ask({ path: `/v1/records/export?${query.toString()}`, tenantId, ended }),
    coverage: async (tenantId, query) =>
      checked(CoverageAnswer, await ask({ path: `/v1/coverage?${query.toString()}`, tenantId })),
    operatorSettings: async (tenantId) =>
      (await checked(SettingsAnswer, await ask({ path: '/v1/settings', tenantId }))).stated.node,
    keySet: async () => {
      try {
        return parseKeySet(await jsonOf(await ask({ path: '/.well-known/svc-node.json', tenantId: null })));
      } catch (error) {
        if (error instanceof KeyError) throw older();
        throw error;
      }
    },
    logProof: async (tenantId, hash) => {
      const query = new URLSearchParams({ certificate_hash: hash });
      return checked(ProofAnswer, await ask({ path: `/v1/log/proof?${query.toString()}`, tenantId }));
    },
    review: async (tenantId, body) =>
      checked(ReviewAnswer, await ask({ path: '/v1/cer/ai/certify', tenantId, scope: 'review', body })),
  };
}

/** An answer in its documented form. @throws ServiceError for another one */
export async function checked<Shape extends z.ZodType>(shape: Shape, response: Response): Promise<z.output<Shape>> {
  const answer = shape.safeParse(await jsonOf(response));
  if (!answer.success) throw older();
  return answer.data;
}
