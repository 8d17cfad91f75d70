import {
  accepts,
  createErrorShaper,
  ok,
  parseJsonBody,
  ServiceError,
  type Handler,
  type RequestHead,
  type ServiceRequest,
  type ServiceResponse,
} from '@cer/http-service';
import type { Logger } from '@cer/http-service/process';
import type { Gate } from '../auth/authenticate.js';
import { countingRefusals } from '../coverage/counting-handler.js';
import type { Refusals } from '../coverage/refusals.js';
import type { Caller } from '../auth/key-directory.js';
import { STATUS, translateError } from '../errors/refusals.js';
import type { AttestDeps } from '../records/write/attest-and-record.js';
import { certificateHeaders } from '../records/response-headers.js';
import { renderImage, type CertifyImage } from './render-image.js';
import { rendererUnavailable, type RendererClient } from './renderer-client.js';
import { sketchBody, type SketchBodyDeps } from './sketch-body.js';
import {
  assertRoomFor,
  concludeRender,
  followPlanned,
  loopOrder,
  planRender,
  renderPlanned,
  snapshotRenderer,
  type VerifyRenderDeps,
} from './verify-render.js';
import type { PlannedRender } from './verify-request.js';
import { assertMayCertify, type RestoredStore } from '../restore-mark/restored-store.js';
import { ATTESTING, COUNTED, type DescribedRoute } from '../openapi/route-description.js';
import {
  IMAGE_ANSWER,
  IMAGE_REQUEST,
  RENDER_VERIFIED_ANSWER,
  RENDER_VERIFY_REQUEST,
  RENDERING,
} from './render-shapes.js';

export interface RenderSettings {
  /** Null on a node without a renderer. */
  readonly renderer: RendererClient | null;
  readonly maxTotalFrames: number;
  /** Whether clients without a key may render; for development only. */
  readonly allowOpenRender: boolean;
}

export interface RenderRouteDeps extends AttestDeps, SketchBodyDeps {
  readonly quota: VerifyRenderDeps['quota'];
  readonly refusals: Refusals;
  readonly gate: Gate;
  readonly render: RenderSettings;
  readonly verifyUrl: string;
  readonly bodyLimitBytes: number;
  readonly logger: Logger;
  readonly restored: RestoredStore;
}

const OPEN_TENANT = 'open';
const VIDEO_TYPES = ['video/mp4', 'video/webm'] as const;

/** @see docs/spec.md, "POST /api/render", "POST /verify" and "POST /render" */
export function renderRoutes(deps: RenderRouteDeps): DescribedRoute[] {
  const { gate, render, bodyLimitBytes } = deps;
  const keyed = {
    method: 'POST',
    admit: gate.admit('render'),
    holderOf: (head: RequestHead) => gate.callerOf(head).tenantId,
    mediaTypes: ['application/json'],
    bodyLimitBytes,
  } as const;
  return [
    {
      ...keyed,
      path: '/api/render',
      description: {
        group: 'Render',
        summary: 'Render a sketch; with `certify` the picture carries its certificate',
        access: { scopes: ['render'] },
        body: { schema: IMAGE_REQUEST },
        success: {
          200: { schema: IMAGE_ANSWER, description: 'The picture.', mediaTypes: ['image/png', 'application/json'] },
        },
        errors: [...RENDERING, 'CANNOT_BE_JUDGED', 'RENDER_NOT_REPRODUCIBLE', ...ATTESTING],
      },
      handler: async (request) => {
        const caller = gate.callerOf(request);
        const renderer = rendererOf(render);
        const body = await sketchBody(deps, 'image', request, caller);
        return renderImage(renderer, body, caller.tenantId, request, certifyImage(deps, request));
      },
    },
    {
      ...keyed,
      path: '/verify',
      description: {
        group: 'Render',
        summary: 'Render a sketch, compare its hashes and certify it',
        access: { scopes: ['render'] },
        body: { schema: RENDER_VERIFY_REQUEST },
        success: {
          200: {
            schema: RENDER_VERIFIED_ANSWER,
            description: 'The verdict, a stream of progress, or the loop as a video.',
            mediaTypes: ['application/json', 'text/event-stream', 'video/mp4', 'video/webm'],
          },
        },
        errors: [...RENDERING, 'RENDER_NOT_REPRODUCIBLE', 'CANNOT_BE_JUDGED', 'VIDEO_UNAVAILABLE', ...ATTESTING],
      },
      handler: verifyHandler(deps),
    },
    {
      method: 'POST',
      path: '/render',
      description: {
        group: 'Render',
        summary: 'Render without a key; for development only',
        access: 'public',
        body: { schema: IMAGE_REQUEST },
        success: {
          200: { schema: IMAGE_ANSWER, description: 'The picture.', mediaTypes: ['image/png', 'application/json'] },
        },
        errors: ['GONE', ...COUNTED, ...RENDERING, 'CANNOT_BE_JUDGED'],
      },
      admit: gate.admitPublic,
      mediaTypes: ['application/json'],
      bodyLimitBytes,
      handler: openRenderHandler(render),
    },
  ];
}

function rendererOf({ renderer }: RenderSettings): RendererClient {
  if (renderer === null) throw rendererUnavailable('this node has no renderer');
  return renderer;
}

/** Rendering without a key is for development: in production the route answers 410. */
function openRenderHandler(render: RenderSettings): Handler {
  return async (request) => {
    if (!render.allowOpenRender) {
      throw new ServiceError({ code: 'GONE', message: 'rendering needs an API key: use POST /api/render' });
    }
    return renderImage(rendererOf(render), parseJsonBody(request), OPEN_TENANT, request, null);
  };
}

/** Renders and certifies as `POST /verify` does where nothing is expected. */
function certifyImage(deps: RenderRouteDeps, request: ServiceRequest): CertifyImage {
  const { signal, requestId } = request;
  return async (body) => {
    const caller = deps.gate.callerOf(request);
    await assertMayCertify(deps.restored);
    return deps.refusals.counting(caller.tenantId, async () => {
      const verifying = verifyingWith(deps);
      const planned = await planRender(verifying, body, caller.tenantId, signal);
      await assertRoomFor(verifying, planned, caller);
      const rendered = await renderPlanned(verifying, planned, signal);
      return { rendered, concluded: await concludeRender(verifying, planned, rendered, { caller, requestId }) };
    });
  };
}

function verifyingWith(deps: RenderRouteDeps): VerifyRenderDeps {
  return { ...deps, renderer: rendererOf(deps.render), maxTotalFrames: deps.render.maxTotalFrames };
}

function verifyingSnapshot(deps: RenderRouteDeps): VerifyRenderDeps {
  const verifying = verifyingWith(deps);
  return { ...verifying, renderer: snapshotRenderer(verifying.renderer) };
}

function verifyHandler(deps: RenderRouteDeps): Handler {
  return countingRefusals(deps, async (request, caller) => {
    const verifying = verifyingSnapshot(deps);
    const asked = await sketchBody(deps, 'render', request, caller);
    const planned = await planRender(verifying, asked, caller.tenantId, request.signal);
    const video = VIDEO_TYPES.find((type) => accepts(request, type));
    if (video !== undefined) return renderVideo(verifying, planned, video, request.signal);
    await assertRoomFor(verifying, planned, caller);
    if (accepts(request, 'text/event-stream')) {
      return {
        status: 200,
        headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' },
        body: verifyEvents(deps, planned, caller, request),
      };
    }
    const rendered = await renderPlanned(verifying, planned, request.signal);
    const requester = { caller, requestId: request.requestId };
    const { body, certificateHash, isReplay } = await concludeRender(verifying, planned, rendered, requester);
    return ok(body, certificateHash === null ? {} : certificateHeaders(certificateHash, isReplay));
  });
}

/** A loop as a video: not covered by any hash and not certified. */
async function renderVideo(
  { renderer }: VerifyRenderDeps,
  { request, execution }: PlannedRender,
  type: (typeof VIDEO_TYPES)[number],
  signal: AbortSignal,
): Promise<ServiceResponse> {
  if (execution.mode !== 'loop') {
    throw new ServiceError({ code: 'LOOP_MODE_ERROR', message: 'snapshot.execution: must be a loop for a video' });
  }
  return {
    status: 200,
    headers: { 'content-type': type },
    body: await renderer.video(loopOrder(request.order, execution), type, signal),
  };
}

/** `progress` events, then one `result` with the answer, or one `error` with `{status, body}`. */
async function* verifyEvents(
  deps: RenderRouteDeps,
  planned: PlannedRender,
  caller: Caller,
  { signal, requestId }: Pick<RequestHead, 'signal' | 'requestId'>,
): AsyncGenerator<string> {
  const { logger, refusals } = deps;
  const verifying = verifyingSnapshot(deps);
  const shapeError = createErrorShaper({ logger, statusOf: STATUS, translate: translateError });
  try {
    const frames = followPlanned(verifying, planned, signal);
    let step = await frames.next();
    while (step.done !== true) {
      yield `event: progress\ndata: ${step.value.data}\n\n`;
      step = await frames.next();
    }
    const { body } = await concludeRender(verifying, planned, step.value, { caller, requestId });
    yield `event: result\ndata: ${JSON.stringify(body)}\n\n`;
  } catch (error) {
    if (signal.aborted) throw error;
    refusals.refused(caller.tenantId, error);
    const { status, body } = shapeError(error, requestId);
    yield `event: error\ndata: {"status":${status},"body":${typeof body === 'string' ? body : 'null'}}\n\n`;
  }
}
