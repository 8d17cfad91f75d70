import { ServiceError } from '@cer/http-service';
import type { Logger } from '@cer/http-service/process';
import type { RendererConfig } from './config.js';
import type { Engine, RequestedEngine } from './engine.js';
import { renderFailure, unavailable } from './errors.js';
import { renderLoop, type Loop, type LoopOptions } from './rendering/render-loop.js';
import type { FairQueue } from './queue/fair-queue.js';
import type { JobKind } from './queue/job-kind.js';
import type { RenderSeconds } from './queue/render-seconds.js';
import type { DrawingEngine } from './sandbox/older-engines.js';
import { createPageMeter } from './sandbox/page-meter.js';
import { runSketchJob, type JobPage } from './sandbox/sketch-job.js';
import { loadSketch, STILL, type Definitions, type FramePlan, type Sketch } from './sandbox/sketch.js';
import { renderStill, type Still } from './rendering/render-still.js';

/** The tenant that a sketch runs for, and the signal that its client disconnected. */
export interface Order {
  /** The engine that draws. */
  readonly engine: RequestedEngine;
  readonly tenantId: string;
  readonly signal: AbortSignal;
}

export interface Timed<Result> {
  readonly result: Result;
  /** The engine that drew. */
  readonly drawnBy: DrawingEngine['identity'];
  /** From the slot to the picture, without the time in the queue. */
  readonly executionTimeMs: number;
}

/** The renderer's jobs, each in the fair queue, charged to the tenant and within its limits. */
export interface Renderer {
  /** @param twice also render it in a second page and refuse unless both agree */
  still(order: Order, sketch: Sketch, twice: boolean): Promise<Timed<Still>>;
  loop(order: Order, sketch: Sketch, plan: FramePlan, options?: Partial<LoopOptions>): Promise<Timed<Loop>>;
  inspect(order: Order, sketch: Sketch): Promise<Definitions>;
}

export interface RendererDeps {
  /** The engine, or why there is none. */
  readonly engine: () => Engine | string;
  readonly queue: FairQueue;
  readonly renderSeconds: RenderSeconds;
  readonly config: RendererConfig;
  readonly logger: Logger;
  readonly onJob: (kind: JobKind, outcome: string, seconds: number) => void;
}

export function createRenderer(deps: RendererDeps): Renderer {
  const { config, queue, renderSeconds } = deps;

  const run = async <Result>(
    order: Order,
    kind: JobKind,
    deadlineMs: number,
    work: (page: JobPage) => Promise<Result>,
  ): Promise<Timed<Result>> => {
    const engine = deps.engine();
    if (typeof engine === 'string') throw unavailable(engine);
    renderSeconds.check(order.tenantId);
    const { pool, identity: drawnBy } = await engine.find(order.engine);
    const pageMeter = createPageMeter();
    let outcome = 'ok';
    const meter = { cpuMs: pageMeter.cpuMs, isTimedOut: () => outcome === 'RENDER_TIMEOUT' };
    const leave = await queue.enter({ ...order, kind, meter });
    try {
      // Jobs of the tenant that ran while this one waited may have used up its seconds.
      renderSeconds.check(order.tenantId);
    } catch (error) {
      leave();
      throw error;
    }
    const startedAt = performance.now();
    let disposed: Promise<void> = Promise.resolve();
    try {
      const limits = { deadlineMs, maxBytes: config.maxSketchBytes };
      const onDisposing = (ending: Promise<void>): void => {
        disposed = ending;
      };
      const result = await runSketchJob({ pool, limits, signal: order.signal, meter: pageMeter, onDisposing }, work);
      return { result, drawnBy, executionTimeMs: Math.round((performance.now() - startedAt) * 10) / 10 };
    } catch (error: unknown) {
      outcome = error instanceof ServiceError ? String(error.code) : 'cancelled';
      throw error;
    } finally {
      const seconds = (performance.now() - startedAt) / 1000;
      renderSeconds.spend(order.tenantId, seconds);
      deps.onJob(kind, outcome, seconds);
      // The answer is sent before the page has ended; its slot is freed afterwards.
      disposed
        .catch((error: unknown) => {
          deps.logger.warn({ err: error }, 'a page could not be ended');
        })
        .finally(leave);
    }
  };

  const once = (order: Order, sketch: Sketch): Promise<Timed<Still>> =>
    retryOnce(order.signal, () => run(order, 'still', config.stillDeadlineMs, (page) => renderStill(page, sketch)));

  return {
    async still(order, sketch, twice) {
      if (!twice) return once(order, sketch);
      const [first, second] = await bothOrNone(order.signal, (signal) => once({ ...order, signal }, sketch));
      if (
        first.result.pixelHash !== second.result.pixelHash ||
        first.result.runtimeHash !== second.result.runtimeHash
      ) {
        throw renderFailure('RENDER_NOT_REPRODUCIBLE', 'two renders of the sketch differ');
      }
      return first;
    },
    loop(order, sketch, plan, options = {}) {
      const deadlineMs = Math.min(
        config.loopDeadlineMs + config.loopDeadlinePerFrameMs * plan.totalFrames,
        config.loopDeadlineMaxMs,
      );
      const { frameDeadlineMs } = config;
      return run(order, 'loop', deadlineMs, (page) => renderLoop(page, sketch, plan, { frameDeadlineMs, ...options }));
    },
    async inspect(order, sketch) {
      const { result } = await run(order, 'still', config.stillDeadlineMs, (page) => loadSketch(page, sketch, STILL));
      return result;
    },
  };
}

/** A browser that ended during a job is not the sketch's fault: one retry. */
async function retryOnce<Result>(signal: AbortSignal, attempt: () => Promise<Result>): Promise<Result> {
  try {
    return await attempt();
  } catch (error) {
    const mayPass = error instanceof ServiceError && error.code === 'RENDERER_UNAVAILABLE' && !signal.aborted;
    if (!mayPass) throw error;
    return attempt();
  }
}

/** Runs it twice. The first failure decides, and ends the other one: it would use a slot for nothing. */
async function bothOrNone<Result>(
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<readonly [Result, Result]> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  try {
    return await Promise.all([run(either), run(either)]);
  } catch (error) {
    failed.abort();
    throw error;
  }
}
