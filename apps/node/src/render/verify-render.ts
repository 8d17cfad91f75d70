import { member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { ServiceError, validationError } from '@cer/http-service';
import type { Caller } from '../auth/key-directory.js';
import type { Quota } from '../limits/quota.js';
import type { AttestDeps } from '../records/write/attest-and-record.js';
import { verificationUrl } from '../records/certify-response.js';
import { certifyRender, type RenderOutcome, type Requester } from './certify-render.js';
import { assertNamedEngine, assertSameEngine, engineOf } from './engine.js';
import { rendererUnavailable, type RendererClient, type RenderProgress, type SketchOrder } from './renderer-client.js';
import { textOr } from './sketch-rules.js';
import {
  decideExecution,
  parseRenderRequest,
  renderExecutionId,
  type Execution,
  type LoopExecution,
  type PlannedRender,
  type RenderRequest,
} from './verify-request.js';

export interface VerifyRenderDeps extends AttestDeps {
  readonly quota: Pick<Quota, 'admit' | 'assertRoom'>;
  readonly renderer: RendererClient;
  readonly maxTotalFrames: number;
  readonly verifyUrl: string;
}

export interface VerifiedRender {
  readonly body: JsonObject;
  readonly certificateHash: string | null;
  readonly isReplay: boolean;
}

/** @throws ServiceError VALIDATION_ERROR, LOOP_MODE_ERROR */
export async function planRender(
  { renderer, maxTotalFrames }: VerifyRenderDeps,
  body: JsonValue,
  tenantId: string,
  signal: AbortSignal,
): Promise<PlannedRender> {
  const request = parseRenderRequest(body, tenantId);
  return { request, execution: await decideExecution(renderer, request, maxTotalFrames, signal) };
}

/** @throws ServiceError QUOTA_EXCEEDED before rendering, if the result could not be certified */
export function assertRoomFor(
  { quota, records }: Pick<VerifyRenderDeps, 'quota' | 'records'>,
  planned: PlannedRender,
  { tenantId, limits }: Caller,
): Promise<void> {
  const executionId = renderExecutionId(planned);
  return quota.assertRoom(tenantId, limits, async () => (await records.findExecution(tenantId, executionId)) !== null);
}

/** Its faults name members of its own request, which are members of the snapshot here. */
export function snapshotRenderer(renderer: RendererClient): RendererClient {
  const named = (error: unknown): never => {
    if (!(error instanceof ServiceError) || error.code !== 'VALIDATION_ERROR') throw error;
    throw validationError((error.refusal.details ?? []).map((detail) => `snapshot.${detail}`));
  };
  return {
    ask: (...args) => renderer.ask(...args).catch(named),
    video: (...args) => renderer.video(...args).catch(named),
    follow: async function* (...args) {
      try {
        return yield* renderer.follow(...args);
      } catch (error) {
        return named(error);
      }
    },
  };
}

/** Renders without progress events. Stills run twice, in separate contexts, and must be equal. */
export async function renderPlanned(
  { renderer }: VerifyRenderDeps,
  { request: { order }, execution }: PlannedRender,
  signal: AbortSignal,
): Promise<JsonObject> {
  return execution.mode === 'static'
    ? renderer.ask('/render', { ...order, twice: true }, signal)
    : renderer.ask('/loop', loopOrder(order, execution), signal);
}

/** Renders a loop with progress events; a still has none. */
export async function* followPlanned(
  deps: VerifyRenderDeps,
  planned: PlannedRender,
  signal: AbortSignal,
): AsyncGenerator<RenderProgress, JsonObject> {
  const { request, execution } = planned;
  if (execution.mode === 'static') return renderPlanned(deps, planned, signal);
  return yield* deps.renderer.follow(loopOrder(request.order, execution), signal);
}

export function loopOrder(order: SketchOrder, { totalFrames, fps }: LoopExecution): object {
  return { ...order, totalFrames, fps };
}

/**
 * Compares the render with the expected hashes, and certifies it if all of them match or none is given.
 * @throws ServiceError CANNOT_BE_JUDGED where another engine drew than the one that the request names
 * @see docs/spec.md, "POST /verify"
 */
export async function concludeRender(
  deps: VerifyRenderDeps,
  planned: PlannedRender,
  rendered: JsonObject,
  requester: Requester,
): Promise<VerifiedRender> {
  const { request, execution } = planned;
  const comparison = execution.mode === 'static' ? compareStill(request, rendered) : compareLoop(request, rendered);
  const assertEngine = comparison.isVerified ? assertNamedEngine : assertSameEngine;
  assertEngine(request.engine, rendered);
  const outcome = outcomeOf(execution, rendered);
  const certified = comparison.isVerified ? await certifyRender(deps, planned, outcome, requester) : null;
  const body: JsonObject = {
    verified: comparison.isVerified,
    mode: execution.mode,
    ...comparison.members,
    protocolCompliant: true,
    ...(certified !== null && {
      certificateHash: certified.certificateHash,
      verificationUrl: verificationUrl(deps.verifyUrl, certified.certificateHash),
      cer: certified.cer,
    }),
    metadata: {
      sdkVersion: outcome.sdkVersion,
      protocolVersion: request.protocol.version,
      rendererVersion: outcome.rendererVersion,
      engine: outcome.engine,
      executionTimeMs: member(rendered, 'executionTimeMs') ?? null,
      ...(execution.mode === 'loop' && { frames: execution.totalFrames, fps: execution.fps }),
      timestamp: deps.now().toISOString(),
    },
  };
  return { body, certificateHash: certified?.certificateHash ?? null, isReplay: certified?.isReplay ?? false };
}

function outcomeOf(execution: Execution, rendered: JsonObject): RenderOutcome {
  const isStill = execution.mode === 'static';
  return {
    outputHash: required(rendered, isStill ? 'pixelHash' : 'animationHash'),
    imageHash: required(rendered, isStill ? 'runtimeHash' : 'posterHash'),
    sdkVersion: required(rendered, 'sdkVersion'),
    rendererVersion: required(rendered, 'rendererVersion'),
    engine: engineOf(rendered),
  };
}

function required(rendered: JsonObject, name: string): string {
  const value = textOr(member(rendered, name), '');
  if (value === '') throw rendererUnavailable(`the answer of the renderer lacks ${name}`);
  return value;
}

interface Comparison {
  readonly isVerified: boolean;
  readonly members: JsonObject;
}

/** An expected hash may be that of the PNG or that of the pixels; a still has no frames. */
function compareStill({ expected }: RenderRequest, rendered: JsonObject): Comparison {
  const computedHash = required(rendered, 'runtimeHash');
  const computedPixelHash = required(rendered, 'pixelHash');
  const { expectedHash, expectedAnimationHash, expectedPosterHash } = expected;
  const hashMatchType = expectedHash === computedHash ? 'png' : expectedHash === computedPixelHash ? 'pixels' : null;
  return {
    isVerified:
      (expectedHash === null || hashMatchType !== null) &&
      expectedAnimationHash === null &&
      expectedPosterHash === null,
    members: {
      computedHash,
      computedPixelHash,
      ...(expectedHash !== null && { expectedHash }),
      ...(expectedAnimationHash !== null && { expectedAnimationHash, animationVerified: false }),
      ...(expectedPosterHash !== null && { expectedPosterHash, posterVerified: false }),
      hashMatchType,
    },
  };
}

function compareLoop({ expected }: RenderRequest, rendered: JsonObject): Comparison {
  const computedAnimationHash = required(rendered, 'animationHash');
  const computedPosterHash = required(rendered, 'posterHash');
  const { expectedHash, expectedAnimationHash, expectedPosterHash } = expected;
  // A loop has no single picture: an expected hash without a kind means the animation.
  const wantedAnimation = expectedAnimationHash ?? expectedHash;
  const animationVerified =
    wantedAnimation === null
      ? null
      : wantedAnimation === computedAnimationHash && (expectedHash ?? wantedAnimation) === computedAnimationHash;
  const posterVerified = expectedPosterHash === null ? null : expectedPosterHash === computedPosterHash;
  return {
    isVerified: animationVerified !== false && posterVerified !== false,
    members: {
      computedAnimationHash,
      computedPosterHash,
      ...(wantedAnimation !== null && { expectedAnimationHash: wantedAnimation, animationVerified }),
      ...(expectedPosterHash !== null && { expectedPosterHash, posterVerified }),
      hashMatchType: animationVerified === true ? 'pixels' : posterVerified === true ? 'png' : null,
    },
  };
}
