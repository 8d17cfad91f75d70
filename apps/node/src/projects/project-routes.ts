import { MAX_DEPTH } from '@cer/canonical-json';
import { CER_VERIFY_CODES } from '@cer/cer-core';
import type { TimestampVerifier } from '@cer/cer-core/verify';
import { ok, parseJsonBody } from '@cer/http-service';
import type { Gate } from '../auth/authenticate.js';
import { recordNotFound } from '../errors/refusals.js';
import type { VerifyBudget } from '../limits/verify-budget.js';
import type { WorkTurns } from '../limits/work-turns.js';
import { largeResponse } from '../large-work/large-answer.js';
import { isLarge } from '../large-work/large-body.js';
import type { LargeWork } from '../large-work/large-work.js';
import type { NodeLog } from '../log/node-log.js';
import { parseHashQuery } from '../records/read/lookup-query.js';
import { replayHeaders } from '../records/response-headers.js';
import type { Signing } from '../signing/signing.js';
import type { Store } from '../store/index.js';
import { largeChecks } from '../verify/large-checks.js';
import { verifySubmittedProject } from '../verify/verify-submitted.js';
import { publicProject } from './public-project.js';
import { registerProject } from './register.js';
import { COUNTED, type DescribedRoute } from '../openapi/route-description.js';
import { HASH } from '../openapi/body-shapes.js';
import {
  PROJECT_VERIFIED_ANSWER,
  PROJECT_VERIFY_REQUEST,
  PUBLIC_PROJECT_ANSWER,
  REGISTER_REQUEST,
  REGISTERED_ANSWER,
} from './project-shapes.js';

export interface ProjectRouteDeps {
  readonly store: Pick<Store, 'records' | 'projects' | 'timestamps'>;
  readonly signing: Signing;
  /** As in verification, so that a step under a key revoked later is accepted in the same cases. */
  readonly timestamps?: TimestampVerifier | null;
  /** Absent or null: no transparency log. */
  readonly log?: NodeLog | null;
  readonly verifyUrl: string;
  readonly now: () => Date;
  readonly gate: Gate;
  readonly projectLimitBytes: number;
  readonly projectVerifyLimitBytes: number;
  readonly verifyBudget: VerifyBudget;
  readonly turns: Pick<WorkTurns, 'takeFor'>;
  /** Absent: large bodies are worked on here. */
  readonly largeWork?: Pick<LargeWork, 'run' | 'verify'> | undefined;
}

/** Share of event-loop time for verification without a key, in addition to that for single bundles. */
const SHARE_OF_TIME = 0.3;

const mediaTypes = ['application/json'];

export function projectRoutes(deps: ProjectRouteDeps): DescribedRoute[] {
  const { gate, store, signing, timestamps = null, verifyUrl, now } = deps;
  return [
    {
      method: 'POST',
      path: '/v1/project-bundle/register',
      description: {
        group: 'Projects',
        summary: 'Register a project of certified steps',
        access: { scopes: ['register'] },
        body: { schema: REGISTER_REQUEST },
        success: { 200: { schema: REGISTERED_ANSWER, description: 'The receipt of the project.' } },
        errors: ['RECORD_REMOVED', 'ATTESTATION_ERROR'],
        findings: CER_VERIFY_CODES.filter((code) => code !== 'OK' && code !== 'SCHEMA_ERROR'),
      },
      admit: gate.admit('register'),
      mediaTypes,
      bodyLimitBytes: deps.projectLimitBytes,
      holderOf: (head) => gate.callerOf(head).tenantId,
      handler: async (request) => {
        const caller = gate.callerOf(request);
        if (deps.largeWork !== undefined && isLarge(request.body)) {
          return largeResponse(await deps.largeWork.run('register', request, caller));
        }
        await deps.turns.takeFor(caller.tenantId, request);
        const registering = { ...deps, hasLog: deps.log != null, keySet: async () => signing.published().keySet };
        const { body, isReplay } = await registerProject(
          registering,
          parseJsonBody(request, { maxDepth: MAX_DEPTH.text }),
          caller,
          request.requestId,
        );
        return ok(body, replayHeaders(isReplay));
      },
    },
    {
      description: {
        group: 'Projects',
        summary: 'Verify a project bundle',
        access: 'public',
        body: { schema: PROJECT_VERIFY_REQUEST },
        success: { 200: { schema: PROJECT_VERIFIED_ANSWER, description: 'The verdict, good or bad.' } },
        errors: COUNTED,
      },
      ...deps.verifyBudget.guarded(
        {
          method: 'POST',
          path: '/v1/project-bundle/verify',
          admit: gate.admitPublic,
          mediaTypes,
          bodyLimitBytes: deps.projectVerifyLimitBytes,
          cors: 'public',
          handler: async (request) => {
            const { keySet } = signing.published();
            const body = parseJsonBody(request, { maxDepth: MAX_DEPTH.text });
            return ok(await verifySubmittedProject({ keySet, timestamps, now }, body));
          },
        },
        SHARE_OF_TIME,
        largeChecks('verify-project', deps.largeWork),
      ),
    },
    {
      method: 'GET',
      path: '/v1/project-bundle/public',
      description: {
        group: 'Projects',
        summary: 'The public form of a registered project',
        access: 'public',
        query: [{ name: 'project_hash', description: 'Also projectHash.', schema: HASH, required: true }],
        success: { 200: { schema: PUBLIC_PROJECT_ANSWER, description: 'The public project.' } },
        errors: ['NOT_FOUND', ...COUNTED],
      },
      admit: gate.admitPublic,
      cors: 'public',
      handler: async ({ query }) => {
        const registration = await store.projects.findByHash(parseHashQuery(query, 'project_hash', 'projectHash'));
        if (registration === null) throw recordNotFound();
        return ok(await publicProject(store, registration, verifyUrl));
      },
    },
  ];
}
