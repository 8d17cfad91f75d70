import { MAX_DEPTH } from '@cer/canonical-json';
import { CER_VERIFY_CODES } from '@cer/cer-core';
import { evaluateProject, toProjectVerifyResponse } from '@cer/cer-core/verify';
import { ok, parseJsonBody } from '@cer/http-service';
import type { Gate } from '../auth/authenticate.js';
import { recordNotFound } from '../errors/refusals.js';
import type { VerifyBudget } from '../limits/verify-budget.js';
import type { WorkTurns } from '../limits/work-turns.js';
import { parseHashQuery } from '../records/read/lookup-query.js';
import { replayHeaders } from '../records/response-headers.js';
import { submittedBundle } from '../verify/submitted-bundle.js';
import { publicProject } from './public-project.js';
import { breathe, registerProject, type ProjectDeps } from './register.js';
import { COUNTED, type DescribedRoute } from '../openapi/route-description.js';
import { HASH } from '../openapi/body-shapes.js';
import {
  PROJECT_VERIFIED_ANSWER,
  PROJECT_VERIFY_REQUEST,
  PUBLIC_PROJECT_ANSWER,
  REGISTER_REQUEST,
  REGISTERED_ANSWER,
} from './project-shapes.js';

export interface ProjectRouteDeps extends ProjectDeps {
  readonly gate: Gate;
  readonly projectLimitBytes: number;
  readonly projectVerifyLimitBytes: number;
  readonly verifyBudget: VerifyBudget;
  readonly turns: Pick<WorkTurns, 'takeFor'>;
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
        await deps.turns.takeFor(gate.callerOf(request).tenantId, request.body.length, request.signal);
        const { body, isReplay } = await registerProject(
          deps,
          parseJsonBody(request),
          gate.callerOf(request),
          request.requestId,
        );
        return ok(body, replayHeaders(isReplay));
      },
    },
    {
      description: {
        group: 'Projects',
        summary: 'Verify a project bundle',
        access: 'anybody',
        body: { schema: PROJECT_VERIFY_REQUEST },
        success: { 200: { schema: PROJECT_VERIFIED_ANSWER, description: 'The verdict, good or bad.' } },
        errors: COUNTED,
      },
      ...deps.verifyBudget.guarded(
        {
          method: 'POST',
          path: '/v1/project-bundle/verify',
          admit: gate.admitAnybody,
          mediaTypes,
          bodyLimitBytes: deps.projectVerifyLimitBytes,
          cors: 'public',
          handler: async (request) => {
            const submitted = submittedBundle(parseJsonBody(request, { maxDepth: MAX_DEPTH.text }));
            const { keySet } = signing.published();
            const options = { keySet, timestamps, verifiedAt: now().toISOString(), onProgress: breathe };
            return ok(toProjectVerifyResponse(await evaluateProject(submitted, options)));
          },
        },
        SHARE_OF_TIME,
      ),
    },
    {
      method: 'GET',
      path: '/v1/project-bundle/public',
      description: {
        group: 'Projects',
        summary: 'The public form of a registered project',
        access: 'anybody',
        query: [{ name: 'project_hash', description: 'Also projectHash.', schema: HASH, required: true }],
        success: { 200: { schema: PUBLIC_PROJECT_ANSWER, description: 'The public project.' } },
        errors: ['NOT_FOUND', ...COUNTED],
      },
      admit: gate.admitAnybody,
      cors: 'public',
      handler: async ({ query }) => {
        const registration = await store.projects.findByHash(parseHashQuery(query, 'project_hash', 'projectHash'));
        if (registration === null) throw recordNotFound();
        return ok(await publicProject(store, registration, verifyUrl));
      },
    },
  ];
}
