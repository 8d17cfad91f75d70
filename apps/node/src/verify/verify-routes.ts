import type { TimestampVerifier } from '@cer/cer-core/verify';
import { MAX_DEPTH } from '@cer/canonical-json';
import { ok, parseJsonBody } from '@cer/http-service';
import type { Gate } from '../auth/authenticate.js';
import type { VerifyBudget } from '../limits/verify-budget.js';
import type { Signing } from '../signing/signing.js';
import type { LargeWork } from '../large-work/large-work.js';
import { largeChecks } from './large-checks.js';
import { verifySubmitted } from './verify-submitted.js';
import { COUNTED, type DescribedRoute } from '../openapi/route-description.js';
import { VERIFIED_ANSWER, VERIFY_REQUEST } from './verify-shapes.js';

export interface VerifyRouteDeps {
  readonly gate: Pick<Gate, 'admitPublic'>;
  readonly signing: Pick<Signing, 'published'>;
  readonly timestamps?: TimestampVerifier | null;
  readonly now: () => Date;
  readonly verifyLimitBytes: number;
  readonly verifyBudget: VerifyBudget;
  /** Absent: large bodies are worked on here. */
  readonly largeWork?: Pick<LargeWork, 'verify'> | undefined;
}

/** Share of event-loop time for public verification, so that certifying is never starved. */
const SHARE_OF_TIME = 0.4;

/** @see docs/spec.md, "POST /v1/cer/verify" */
export function verifyRoutes({
  gate,
  signing,
  timestamps = null,
  now,
  verifyLimitBytes,
  verifyBudget,
  largeWork,
}: VerifyRouteDeps): DescribedRoute[] {
  return [
    {
      description: {
        group: 'Verify and look up',
        summary: 'Verify a bundle',
        access: 'public',
        body: { schema: VERIFY_REQUEST },
        success: { 200: { schema: VERIFIED_ANSWER, description: 'The verdict, good or bad.' } },
        errors: COUNTED,
      },
      ...verifyBudget.guarded(
        {
          method: 'POST',
          path: '/v1/cer/verify',
          admit: gate.admitPublic,
          mediaTypes: ['application/json'],
          bodyLimitBytes: verifyLimitBytes,
          cors: 'public',
          handler: async (request) => {
            const { keySet } = signing.published();
            const body = parseJsonBody(request, { maxDepth: MAX_DEPTH.text });
            return ok(await verifySubmitted({ keySet, timestamps, now }, body));
          },
        },
        SHARE_OF_TIME,
        largeChecks('verify', largeWork),
      ),
    },
  ];
}
