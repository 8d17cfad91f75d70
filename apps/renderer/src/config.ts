import {
  absolutePath,
  flag,
  host,
  loadConfig,
  logLevel,
  port,
  positiveInteger,
  secret,
  wholeNumber,
  type Environment,
} from '@cer/http-service';
import { availableParallelism } from 'node:os';
import { z } from 'zod';

const MIB = 1024 * 1024;
const NOBODY_UID = 65_534;

const schema = z
  .object({
    HOST: host(),
    PORT: port(4110),
    LOG_LEVEL: logLevel(),
    RENDERER_TOKEN: secret(32),
    CHROMIUM_PATH: absolutePath().optional(),
    CHROMIUM_UID: wholeNumber(1, 2 ** 31).default(NOBODY_UID),
    ALLOW_UNSANDBOXED: flag(false),
    RENDER_CONCURRENCY: wholeNumber(1, 64).optional(),
    RENDER_PAGES_AHEAD: wholeNumber(0, 16).default(1),
    RENDER_MAX_WAITING: positiveInteger(64),
    RENDER_SECONDS_PER_HOUR: positiveInteger(3600),
    RENDER_MEMORY_MIB: wholeNumber(256, 65_536).default(1200),
    RENDER_MAX_CODE_BYTES: positiveInteger(512 * 1024),
    STILL_DEADLINE_MS: positiveInteger(15_000),
    LOOP_DEADLINE_MS: positiveInteger(30_000),
    LOOP_DEADLINE_PER_FRAME_MS: positiveInteger(250),
    LOOP_DEADLINE_MAX_MS: positiveInteger(600_000),
    FRAME_DEADLINE_MS: positiveInteger(10_000),
    MAX_TOTAL_FRAMES: wholeNumber(2).default(1800),
    FFMPEG_PATH: absolutePath().optional(),
  })
  .transform((env) => ({
    host: env.HOST,
    port: env.PORT,
    logLevel: env.LOG_LEVEL,
    token: env.RENDERER_TOKEN,
    chromiumPath: env.CHROMIUM_PATH,
    chromiumUid: env.CHROMIUM_UID,
    allowUnsandboxed: env.ALLOW_UNSANDBOXED,
    // A still must find a slot while a loop runs, also on one core.
    concurrency: env.RENDER_CONCURRENCY ?? Math.max(2, availableParallelism()),
    pagesAhead: env.RENDER_PAGES_AHEAD,
    maxWaiting: env.RENDER_MAX_WAITING,
    renderSecondsPerHour: env.RENDER_SECONDS_PER_HOUR,
    maxSketchBytes: env.RENDER_MEMORY_MIB * MIB,
    maxCodeBytes: env.RENDER_MAX_CODE_BYTES,
    stillDeadlineMs: env.STILL_DEADLINE_MS,
    loopDeadlineMs: env.LOOP_DEADLINE_MS,
    loopDeadlinePerFrameMs: env.LOOP_DEADLINE_PER_FRAME_MS,
    loopDeadlineMaxMs: env.LOOP_DEADLINE_MAX_MS,
    frameDeadlineMs: env.FRAME_DEADLINE_MS,
    maxTotalFrames: env.MAX_TOTAL_FRAMES,
    ffmpegPath: env.FFMPEG_PATH,
  }));

/** How the renderer runs; frozen. */
export type RendererConfig = z.output<typeof schema>;

/** @throws ConfigError naming every bad variable */
export function readConfig(env: Environment): RendererConfig {
  return loadConfig(schema, env);
}
