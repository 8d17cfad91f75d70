import { ServiceError } from '@cer/http-service';
import { CdpError } from '../browser/cdp-pipe.js';
import { giveWay, residentBytes } from '../browser/processes.js';
import { assertShallow } from './stack-limit.js';
import { renderFailure, unavailable } from '../errors.js';
import { createPageMeter, type PageMeter } from './page-meter.js';
import type { PagePool } from './page-pool.js';
import { PageGone } from './page-guard.js';
import type { SketchPage } from './sketch-page.js';

/** Limits of one job. */
export interface JobLimits {
  readonly deadlineMs: number;
  /** Maximum resident memory of the sketch's process, in bytes. */
  readonly maxBytes: number;
}

/** The environment of a job. */
export interface JobOptions {
  readonly pool: PagePool;
  readonly limits: JobLimits;
  readonly signal: AbortSignal;
  /** Meter of the job's page; a new one by default. */
  readonly meter?: PageMeter;
  /** Gets the end of the page, which may be later than the job's. */
  readonly onDisposing: (disposed: Promise<void>) => void;
}

/** A sketch's page within a job: no call takes longer than the job may. */
export interface JobPage {
  call(name: string, args: readonly unknown[], limitMs?: number): Promise<unknown>;
}

const WATCH_EVERY_MS = 25;
/**
 * Processor time after which a job gives way to others, in ms: a sketch that hangs takes no core from one that draws.
 * Where the system does not report it, wall-clock time counts.
 */
const GIVES_WAY_AFTER_MS = 2000;
/** V8 ends a page at its heap limit, which is lower than the job's. */
const HEAP_DEATH_BYTES = 400 * 1024 * 1024;

/**
 * Runs `work` on a new page and ends the page in every case: at the deadline, over the memory limit, when the caller
 * disconnects. The page is disposed before this settles, but at most a few seconds are spent on it.
 * @throws ServiceError RENDER_TIMEOUT, RENDER_MEMORY_LIMIT, RENDER_ERROR, RENDERER_UNAVAILABLE
 */
export async function runSketchJob<Result>(
  { pool, limits, signal, meter = createPageMeter(), onDisposing }: JobOptions,
  work: (page: JobPage) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const page = await pool.take().catch((error: unknown) => {
    throw error instanceof ServiceError ? error : unavailable('the browser cannot be started');
  });
  const endsAt = performance.now() + limits.deadlineMs;
  meter.begin(page.pids);
  const watch = watchLimits(page, meter, limits, signal);
  const jobPage: JobPage = {
    async call(name, args, limitMs = Infinity) {
      const timeLeft = Math.max(1, Math.min(limitMs, endsAt - performance.now())) + CALL_GRACE_MS;
      try {
        return await page.call(name, args, timeLeft);
      } catch (error) {
        // The sketch exceeds the limit of this call; the browser works.
        if (error instanceof CdpError && error.reason === 'silent' && limitMs !== Infinity) throw timedOut();
        throw error;
      }
    },
  };
  try {
    const result = await Promise.race([work(jobPage), watch.broken]);
    assertShallow(page);
    return result;
  } catch (error) {
    throw describeEnd(error, watch.peakBytes(), endsAt);
  } finally {
    watch.stop();
    meter.cpuMs();
    onDisposing(page.dispose());
  }
}

/** Calls may exceed the deadline by this much, in ms, so that the deadline is reported first. */
const CALL_GRACE_MS = 250;

interface LimitWatch {
  readonly broken: Promise<never>;
  readonly peakBytes: () => number;
  readonly stop: () => void;
}

function watchLimits(
  page: SketchPage,
  meter: PageMeter,
  { deadlineMs, maxBytes }: JobLimits,
  signal: AbortSignal,
): LimitWatch {
  const startedAt = performance.now();
  let peak = 0;
  let hasGivenWay = false;
  let breakOff: (error: unknown) => void = () => undefined;
  const broken = new Promise<never>((_resolve, reject) => {
    breakOff = reject;
  });
  broken.catch(() => undefined);
  const deadline = setTimeout(() => {
    breakOff(timedOut());
  }, deadlineMs);
  const useWatch = setInterval(() => {
    const usedMs = meter.cpuMs() ?? performance.now() - startedAt;
    if (usedMs >= GIVES_WAY_AFTER_MS && !hasGivenWay) {
      hasGivenWay = true;
      try {
        page.pids.forEach(giveWay);
      } catch (error) {
        breakOff(error);
      }
    }
    const bytes = page.pids.reduce((sum, pid) => sum + residentBytes(pid), 0);
    peak = Math.max(peak, bytes);
    if (bytes > maxBytes) breakOff(outOfMemory());
  }, WATCH_EVERY_MS);
  const abort = (): void => {
    breakOff(signal.reason);
  };
  signal.addEventListener('abort', abort, { once: true });
  // The signal may have aborted while the page was opened.
  if (signal.aborted) abort();
  return {
    broken,
    peakBytes: () => peak,
    stop() {
      clearTimeout(deadline);
      clearInterval(useWatch);
      signal.removeEventListener('abort', abort);
    },
  };
}

/** Describes why a job ended. */
function describeEnd(error: unknown, peakBytes: number, endsAt: number): unknown {
  if (error instanceof PageGone) {
    if (error.reason === 'left') return renderFailure('RENDER_ERROR', 'the sketch left its page');
    if (error.reason === 'closed') return unavailable('the browser ended during the render: try again');
    return peakBytes > HEAP_DEATH_BYTES ? outOfMemory() : renderFailure('RENDER_ERROR', "the sketch's page crashed");
  }
  if (error instanceof CdpError) {
    if (error.reason === 'oversize') return renderFailure('RENDER_ERROR', 'the picture is too large');
    if (error.reason === 'silent')
      return performance.now() >= endsAt - CALL_GRACE_MS
        ? timedOut()
        : unavailable('the browser does not respond: try again');
    return unavailable('the browser ended during the render: try again');
  }
  return error;
}

export function timedOut(): ServiceError {
  return renderFailure('RENDER_TIMEOUT', 'the sketch exceeded its time limit');
}

function outOfMemory(): ServiceError {
  return renderFailure('RENDER_MEMORY_LIMIT', 'the sketch exceeded its memory limit');
}
