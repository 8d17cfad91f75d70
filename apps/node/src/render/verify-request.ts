import { isJsonObject, jcsV1, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { protocolFor, sha256, type Protocol } from '@cer/cer-core';
import { stated, wellFormedLabel } from '@cer/cer-core/seal';
import { ServiceError, validationError } from '@cer/http-service';
import { engineFaults, engineOrder, requestedEngine, type RequestedEngine } from './engine.js';
import type { RendererClient, SketchOrder } from './renderer-client.js';
import {
  codeFaults,
  hashFaults,
  numbersIn,
  renderProtocolFaults,
  seedFaults,
  textOr,
  varsFaults,
} from './sketch-rules.js';

/** Execution mode of a sketch: once, or frame by frame. */
export type Execution = { readonly mode: 'static' } | LoopExecution;

export interface LoopExecution {
  readonly mode: 'loop';
  readonly totalFrames: number;
  readonly fps: number;
}

/** The members of a certified render that are known before the sketch runs. */
export interface RenderRequest {
  readonly order: SketchOrder;
  readonly protocol: Protocol;
  readonly engine: RequestedEngine;
  readonly statedExecution: JsonObject;
  readonly statedExecutionId: string | null;
  readonly expected: Readonly<Record<ExpectedName, string | null>>;
}

/** A validated request, ready to be rendered. */
export interface PlannedRender {
  readonly request: RenderRequest;
  readonly execution: Execution;
}

const EXPECTED_NAMES = ['expectedHash', 'expectedAnimationHash', 'expectedPosterHash'] as const;
type ExpectedName = (typeof EXPECTED_NAMES)[number];

const DEFAULT_FPS = 30;
const MAX_FPS = 240;
/** @throws ServiceError VALIDATION_ERROR with every fault @see docs/spec.md, "POST /verify" */
export function parseRenderRequest(body: JsonValue, tenantId: string): RenderRequest {
  if (!isJsonObject(body)) throw validationError(['body: must be a JSON object']);
  const snapshot = stated(body, 'snapshot');
  if (!isJsonObject(snapshot)) {
    throw validationError([snapshot === undefined ? 'snapshot: is required' : 'snapshot: must be an object']);
  }
  const execution = stated(snapshot, 'execution') ?? {};
  const executionId = stated(body, 'executionId');
  const protocolVersion = stated(snapshot, 'protocolVersion');
  const faults = [
    ...codeFaults(stated(snapshot, 'code'), 'snapshot.code'),
    ...seedFaults(stated(snapshot, 'seed'), 'snapshot.seed'),
    ...varsFaults(stated(snapshot, 'vars'), 'snapshot.vars'),
    ...renderProtocolFaults(protocolVersion, 'snapshot.protocolVersion'),
    ...engineFaults(stated(snapshot, 'engine'), 'snapshot.engine'),
    ...(isJsonObject(execution) ? executionFaults(execution) : ['snapshot.execution: must be an object']),
    ...executionIdFaults(executionId),
    ...hashFaults(body, EXPECTED_NAMES),
  ];
  const protocol = protocolFor(protocolVersion);
  if (faults.length > 0 || protocol === null || !isJsonObject(execution)) throw validationError(faults);
  const expected = (name: ExpectedName): string | null => {
    const value = stated(body, name);
    return typeof value === 'string' ? value : null;
  };
  const engine = requestedEngine(stated(snapshot, 'engine'), stated(snapshot, 'rendererVersion'));
  return {
    engine,
    order: {
      tenantId,
      engine: engineOrder(engine),
      code: textOr(stated(snapshot, 'code'), ''),
      seed: textOr(stated(snapshot, 'seed'), ''),
      vars: numbersIn(stated(snapshot, 'vars')),
    },
    protocol,
    statedExecution: execution,
    statedExecutionId: typeof executionId === 'string' ? executionId : null,
    expected: {
      expectedHash: expected('expectedHash'),
      expectedAnimationHash: expected('expectedAnimationHash'),
      expectedPosterHash: expected('expectedPosterHash'),
    },
  };
}

/** `totalFrames` is checked with the mode, because a loop has its own error code. */
function executionFaults(execution: JsonObject): string[] {
  const mode = stated(execution, 'mode');
  const fps = stated(execution, 'fps');
  return [
    ...(mode === undefined || mode === 'static' || mode === 'loop'
      ? []
      : ['snapshot.execution.mode: must be static or loop']),
    ...(fps === undefined || (typeof fps === 'number' && fps >= 1 && fps <= MAX_FPS)
      ? []
      : [`snapshot.execution.fps: must be a number from 1 to ${MAX_FPS}`]),
  ];
}

function executionIdFaults(value: JsonValue | undefined): string[] {
  if (value === undefined) return [];
  const broken = wellFormedLabel(value);
  return broken === null ? [] : [`executionId: ${broken}`];
}

/**
 * Decides between still and loop. A loop never falls back to a still.
 * @throws ServiceError LOOP_MODE_ERROR
 */
export async function decideExecution(
  renderer: RendererClient,
  { order, statedExecution }: RenderRequest,
  maxTotalFrames: number,
  signal: AbortSignal,
): Promise<Execution> {
  const totalFrames = stated(statedExecution, 'totalFrames');
  const fps = stated(statedExecution, 'fps');
  const isAskedFor = stated(statedExecution, 'mode') === 'loop';
  const mayLoop = typeof totalFrames === 'number' && totalFrames > 1;
  if (!isAskedFor && !mayLoop) return { mode: 'static' };
  if (isAskedFor && !isFrameCount(totalFrames, maxTotalFrames)) throw frameCountError(maxTotalFrames);
  const { definesDraw } = await renderer.ask('/inspect', order, signal);
  if (definesDraw !== true) {
    if (!isAskedFor) return { mode: 'static' };
    throw new ServiceError({ code: 'LOOP_MODE_ERROR', message: 'snapshot.code: must define draw() for a loop' });
  }
  if (!isFrameCount(totalFrames, maxTotalFrames)) throw frameCountError(maxTotalFrames);
  return { mode: 'loop', totalFrames, fps: typeof fps === 'number' ? fps : DEFAULT_FPS };
}

function isFrameCount(value: JsonValue | undefined, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 2 && value <= max;
}

function frameCountError(max: number): ServiceError {
  return new ServiceError({
    code: 'LOOP_MODE_ERROR',
    message: `snapshot.execution.totalFrames: must be an integer from 2 to ${max}`,
  });
}

/** The same sketch with the same settings has the same id, unless the caller sets one. */
export function renderExecutionId({ request, execution }: PlannedRender): string {
  const { order, engine, statedExecutionId } = request;
  if (statedExecutionId !== null) return statedExecutionId;
  const { code, seed, vars } = order;
  // Without an engine the id is the same as in earlier releases.
  const drawnBy = engine.name === 'chromium-native' ? {} : { engine: engine.name };
  return `render:${sha256(jcsV1.canonicalize({ code, seed, vars, execution, ...drawnBy })).slice('sha256:'.length)}`;
}
