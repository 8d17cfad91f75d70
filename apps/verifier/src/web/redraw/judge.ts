import { isJsonObject, JsonError, parseJson, type JsonValue } from '@cer/canonical-json';
import { CerError, sha256 } from '@cer/cer-core';
import { judgePicture } from '@cer/cer-core/picture';
import { evaluateCer } from '@cer/cer-core/verify';
import { callsImport, pinSyntax, SketchSyntaxError } from '@cer/sketch-engine/host';
import { certifiedRender, NotRedrawable, type CertifiedRender } from '@cer/sketch-engine/certified-render';
import { openSource } from '../../check/picture-source.js';
import { TEXTS } from '../../view/texts.js';
import { drawStill } from './draw-still.js';
import type { EngineBlock } from './engine-block.js';

const T = TEXTS.redraw;

/** The result of drawing again; `pixels` is the picture as it was drawn here. */
export interface Judgement {
  readonly kind: keyof typeof T.headlines;
  readonly why: string;
  readonly pixels?: Uint8ClampedArray<ArrayBuffer>;
}

/** Checks a certificate and its sketch, draws the sketch again, and compares. */
export async function judge(
  certificate: Uint8Array,
  code: string,
  block: EngineBlock,
  signal: AbortSignal,
): Promise<Judgement> {
  const read = readCertificate(certificate);
  if (read === undefined) return { kind: 'failed', why: T.notJson };
  const evaluation = await evaluateCer(read.value, { verifiedAt: new Date().toISOString() });
  const { integrity, bundle } = evaluation;
  if (integrity.status !== 'PASS' || !isJsonObject(bundle))
    return { kind: 'failed', why: integrity.status === 'FAIL' ? integrity.code : T.notJson };
  if (read.png !== null && !judgePicture(evaluation, read.png).picture.isCertified)
    return { kind: 'failed', why: T.otherPicture };
  let render: CertifiedRender | null;
  try {
    render = certifiedRender(bundle);
  } catch (error) {
    if (error instanceof NotRedrawable) return { kind: 'not-judged', why: error.message };
    throw error;
  }
  if (render === null) return { kind: 'not-judged', why: T.noRender };
  const { identity } = block;
  const { engine, input } = render;
  const parts = ['version', 'wasmHash', 'mathHash', 'fontsHash'] as const;
  if (parts.some((part) => engine[part] !== identity[part]))
    return { kind: 'not-judged', why: `${T.otherEngine}${identity.version}.` };
  if (input.totalFrames > 1) return { kind: 'not-judged', why: T.loop };
  if (sha256(code) !== render.codeHash) return { kind: 'failed', why: T.otherSketch };
  const script = scriptOf(code);
  if (script === undefined) return { kind: 'not-judged', why: T.noPicture };
  const drawn = await drawStill(block, script, input, signal);
  if ('fault' in drawn) return { kind: 'not-judged', why: signal.aborted ? T.stopped : `${T.noPicture}${drawn.fault}` };
  const { pixels } = drawn;
  const isSame = sha256(new Uint8Array(pixels.buffer)) === render.outputHash;
  return { kind: isSame ? 'same' : 'another', why: isSame ? T.same : T.another, pixels };
}

/** @param bytes JSON, or a PNG that carries it */
function readCertificate(
  bytes: Uint8Array,
): { readonly value: JsonValue; readonly png: Uint8Array | null } | undefined {
  try {
    const { json, png } = openSource(bytes);
    return { value: parseJson(json), png };
  } catch (error) {
    if (error instanceof JsonError || error instanceof CerError) return undefined;
    throw error;
  }
}

/** @returns undefined for a sketch that a realm would not run */
function scriptOf(code: string): string | undefined {
  try {
    return callsImport(code) ? undefined : pinSyntax(code);
  } catch (error) {
    if (error instanceof SketchSyntaxError) return undefined;
    throw error;
  }
}
