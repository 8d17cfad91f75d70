import { seedNumber, VAR_COUNT, visibleMessage } from '@cer/sketch-engine/render-rules';
import * as z from 'zod';
import { renderFailure } from '../errors.js';
import type { JobPage } from './sketch-job.js';

/** The input of a picture. */
export interface Sketch {
  readonly code: string;
  readonly seed: string;
  /** At most ten finite numbers from 0 to 100; missing ones are 0. */
  readonly vars: readonly number[];
}

/** How the sketch is run: one frame is a still. */
export interface FramePlan {
  readonly totalFrames: number;
  readonly fps: number;
}

export const STILL: FramePlan = { totalFrames: 1, fps: 30 };

const Fault = z.object({
  fault: z.object({
    code: z.enum(['RENDER_ERROR', 'PROTOCOL_VIOLATION']),
    message: z.string().max(2200),
    line: z.number().int().positive().optional().catch(undefined),
  }),
});
const Definitions = z.object({ setup: z.boolean(), draw: z.boolean() });

/** Which of its two functions a sketch has. */
export type Definitions = z.output<typeof Definitions>;

/** Runs the top level of a sketch. @throws ServiceError RENDER_ERROR, PROTOCOL_VIOLATION */
export async function loadSketch(
  page: JobPage,
  { code, seed, vars }: Sketch,
  { totalFrames, fps }: FramePlan,
): Promise<Definitions> {
  const padded = Array.from({ length: VAR_COUNT }, (_, index) => vars[index] ?? 0);
  const input = { seed: seedNumber(seed), vars: padded, totalFrames, fps };
  return readAnswer(Definitions, await page.call('load', [code, input]));
}

/** Runs `setup()`. @throws ServiceError RENDER_ERROR, PROTOCOL_VIOLATION */
export async function setUpSketch(page: JobPage): Promise<void> {
  readAnswer(z.null(), await page.call('setup', []));
}

/**
 * Checks an answer of the page reader. Its world is not the sketch's, but a compromised renderer process may send any answer.
 * @throws ServiceError with the sketch's own fault, or RENDER_ERROR for an answer of another shape
 */
export function readAnswer<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.output<Schema> {
  const fault = Fault.safeParse(answer);
  if (fault.success) {
    const { code, message, line } = fault.data.fault;
    throw renderFailure(code, visibleMessage(message), line === undefined ? {} : { line });
  }
  const result = schema.safeParse(answer);
  if (!result.success) throw renderFailure('RENDER_ERROR', "the sketch's page gave no picture");
  return result.data;
}
