import { EngineNotFound, findEngine } from '@cer/sketch-engine/files';
export { NetworkNotWithheld } from '@cer/sketch-engine/redraw';
import { redraw, type Redrawing, type Redrawn } from '@cer/sketch-engine/redraw';
import type { CertifiedRender } from '@cer/sketch-engine/certified-render';

/** The result of drawing a certified render again. */
export type RenderVerdict =
  | { readonly kind: 'same' | 'another'; readonly outputHash: string; readonly imageHash: string }
  | { readonly kind: 'not-judged'; readonly why: string };

export interface JudgeOptions extends Pick<Redrawing, 'limits' | 'allowNetwork'> {
  /** Folder with older modules of Skia. */
  readonly engines: string | undefined;
  readonly onFrame: (index: number, hash: string) => void;
}

/**
 * Draws a certified render again and compares. A render that cannot be drawn with the same engine is not judged.
 * @param code whose hash is the certified one
 * @throws NetworkNotWithheld
 */
export async function judgeRender(
  code: string,
  { input, engine: named, outputHash, imageHash }: CertifiedRender,
  { engines, ...options }: JudgeOptions,
): Promise<RenderVerdict> {
  let engine: Uint8Array;
  try {
    engine = (await findEngine(named, engines)).bytes;
  } catch (error) {
    if (!(error instanceof EngineNotFound)) throw error;
    return { kind: 'not-judged', why: error.message };
  }
  const drawn = await redraw({ code, input, engine, ...options });
  if (drawn.kind !== 'picture') return { kind: 'not-judged', why: reasonOf(drawn) };
  const [pixels, image] = [`sha256:${drawn.outputHash}`, `sha256:${drawn.imageHash}`];
  const kind = pixels === outputHash && image === imageHash ? 'same' : 'another';
  return { kind, outputHash: pixels, imageHash: image };
}

const ENDED_BY = {
  time: 'the sketch did not finish within --timeout',
  memory: 'the sketch used more than --max-memory',
  crash: 'the process of the sketch ended',
} as const;

function reasonOf(drawn: Exclude<Redrawn, { readonly kind: 'picture' }>): string {
  if (drawn.kind === 'ended') return ENDED_BY[drawn.by];
  const { message, line } = drawn.fault;
  return `the sketch draws no picture here: ${message}${line === undefined ? '' : ` (line ${line})`}`;
}
