import {
  absolutePath,
  flag,
  host,
  loadConfig,
  logLevel,
  milliseconds,
  port,
  positiveInteger,
  secret,
  wholeNumber,
  type Environment,
} from '@cer/http-service/config';
import { availableParallelism } from 'node:os';
import * as z from 'zod';

const MIB = 1024 * 1024;
const NOBODY_UID = 65_534;

/**
 * The variables by name.
 * @public scripts/configuration.mjs makes docs/configuration.md of it
 */
export const VARIABLES = z.object({
  HOST: host().describe('Address to listen on.'),
  PORT: port(4110).describe('TCP port to listen on; 0 lets the system choose.'),
  LOG_LEVEL: logLevel().describe('Minimum level of the JSON log on standard output.'),
  RENDERER_TOKEN: secret(32).describe('Secret that the node sends and that authenticates answers.'),
  CHROMIUM_PATH: absolutePath()
    .optional()
    .describe(
      "Browser to start. Unset: Debian's headless shell, Debian's Chromium or the packaged one, the first found.",
    ),
  CHROMIUM_UID: wholeNumber(1, 2 ** 31)
    .default(NOBODY_UID)
    .describe('User id that a renderer run by root starts Chromium with; preferably a dedicated user.'),
  ALLOW_UNSANDBOXED: flag(false).describe(
    '`1` starts Chromium without its sandbox and network namespace. For development only.',
  ),
  RENDER_CONCURRENCY: wholeNumber(1, 64)
    .optional()
    .describe(
      'Concurrent jobs. One tenant has at most one fewer; the last slot is for stills of tenants whose stills are short. Unset: one more than the number of cores, at least 3.',
    ),
  RENDER_PAGES_AHEAD: wholeNumber(0, 16)
    .default(1)
    .describe('Browser pages opened ahead of need, for each engine from its first render on.'),
  RENDER_MAX_WAITING: positiveInteger(64).describe('Maximum jobs waiting for a slot; further ones get 503.'),
  RENDER_SECONDS_PER_HOUR: positiveInteger(3600).describe('Render seconds per tenant and hour; then 429.'),
  RENDER_MEMORY_MIB: wholeNumber(256, 65_536).default(1200).describe('Maximum resident memory of one sketch, in MiB.'),
  RENDER_MAX_CODE_BYTES: positiveInteger(512 * 1024).describe('Maximum size of a sketch.'),
  STILL_DEADLINE_MS: milliseconds(15_000).describe('Maximum time for one picture.'),
  LOOP_DEADLINE_MS: milliseconds(30_000).describe('Base of the maximum time for a loop.'),
  LOOP_DEADLINE_PER_FRAME_MS: milliseconds(250).describe('Time added to it per frame.'),
  LOOP_DEADLINE_MAX_MS: milliseconds(600_000).describe('Upper bound of the maximum time for a loop.'),
  FRAME_DEADLINE_MS: milliseconds(10_000).describe('Maximum time for one frame.'),
  MAX_TOTAL_FRAMES: wholeNumber(2).default(1800).describe('Maximum frames of a loop; must equal that of the node.'),
  RENDER_ENGINES_FOLDER: absolutePath()
    .optional()
    .describe(
      'Folder of older modules of Skia, each as `<SHA-256 in hex>.wasm`, to judge certificates that name them. Unset: only the installed one.',
    ),
  FFMPEG_PATH: absolutePath()
    .optional()
    .describe(
      'ffmpeg for videos. Unset: the one in `/usr/bin`, `/usr/local/bin` or `/opt/homebrew/bin`. Without ffmpeg videos answer 501.',
    ),
});

const Settings = VARIABLES.transform((env) => ({
  host: env.HOST,
  port: env.PORT,
  logLevel: env.LOG_LEVEL,
  token: env.RENDERER_TOKEN,
  chromiumPath: env.CHROMIUM_PATH,
  chromiumUid: env.CHROMIUM_UID,
  allowUnsandboxed: env.ALLOW_UNSANDBOXED,
  // A page for each core and at least two, beside the slot that no tenant with slow sketches can have.
  concurrency: env.RENDER_CONCURRENCY ?? Math.max(3, availableParallelism() + 1),
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
  enginesFolder: env.RENDER_ENGINES_FOLDER,
  ffmpegPath: env.FFMPEG_PATH,
}));

/** How the renderer runs; frozen. */
export type RendererConfig = z.output<typeof Settings>;

/** @throws ConfigError naming every bad variable */
export function readConfig(env: Environment): RendererConfig {
  return loadConfig(Settings, env);
}
