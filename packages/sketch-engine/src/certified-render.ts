import { isJsonObject, member, type JsonObject } from '@cer/canonical-json';
import { RENDER_HASH_SCHEME, RENDER_SNAPSHOT_TYPE } from '@cer/cer-core';
import type { SketchInput } from './drawing/sketch-api.js';
import type { NamedEngine } from './engine-identity.js';
import { CANVAS_HEIGHT, CANVAS_WIDTH, seedNumber, VAR_COUNT } from './render-rules.js';

/** The members of a certificate about a render that can be drawn again. */
export interface CertifiedRender {
  readonly codeHash: string;
  readonly input: SketchInput;
  readonly engine: NamedEngine;
  /** Of the pixels of a still, or of the frames of a loop. */
  readonly outputHash: string;
  /** Of the PNG of the still, or of the first frame. */
  readonly imageHash: string;
}

/** The certificate names a render that the portable engine cannot draw. The message says why. */
export class NotRedrawable extends Error {
  override readonly name = 'NotRedrawable';
}

const NATIVE =
  'the canvas of a browser drew it, which is bound to its machine: only a node with the same rendererVersion can judge it';

/**
 * Reads the snapshot of an intact certificate.
 * @returns null for any other certificate
 * @throws NotRedrawable for a render of another engine, scheme or size
 * @see docs/spec.md, "cer.codemode.render.v1"
 */
export function certifiedRender(bundle: JsonObject): CertifiedRender | null {
  const snapshot = objectIn(bundle, 'snapshot');
  if (snapshot === null || member(snapshot, 'type') !== RENDER_SNAPSHOT_TYPE) return null;
  const engine = objectIn(snapshot, 'engine');
  if (engine === null || member(engine, 'name') !== 'portable') throw new NotRedrawable(NATIVE);
  const canvas = objectIn(snapshot, 'canvas');
  if (canvas === null || member(canvas, 'width') !== CANVAS_WIDTH || member(canvas, 'height') !== CANVAS_HEIGHT)
    throw new NotRedrawable(`the canvas is not ${CANVAS_WIDTH} by ${CANVAS_HEIGHT}`);
  if (member(snapshot, 'hashScheme') !== RENDER_HASH_SCHEME)
    throw new NotRedrawable(`the hash scheme is not ${RENDER_HASH_SCHEME}`);
  return {
    codeHash: textIn(snapshot, 'codeHash'),
    input: inputOf(snapshot),
    engine: {
      version: member(engine, 'version'),
      wasmHash: member(engine, 'wasmHash'),
      mathHash: member(engine, 'mathHash'),
      fontsHash: member(engine, 'fontsHash'),
    },
    outputHash: textIn(snapshot, 'outputHash'),
    imageHash: textIn(snapshot, 'imageHash'),
  };
}

function inputOf(snapshot: JsonObject): SketchInput {
  const values = member(snapshot, 'vars');
  const vars = Array.isArray(values) ? values.filter((value) => typeof value === 'number') : [];
  const execution = objectIn(snapshot, 'execution');
  const isLoop = execution !== null && member(execution, 'mode') === 'loop';
  const [totalFrames, fps] = isLoop ? [member(execution, 'totalFrames'), member(execution, 'fps')] : [1, 30];
  if (!isCount(totalFrames) || !isCount(fps) || (isLoop && totalFrames < 2) || vars.length > VAR_COUNT)
    throw new NotRedrawable('this version does not draw its frames or VAR');
  return {
    seed: seedNumber(textIn(snapshot, 'seed')),
    vars: Array.from({ length: VAR_COUNT }, (_, index) => vars[index] ?? 0),
    totalFrames,
    fps,
  };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}

function objectIn(object: JsonObject, name: string): JsonObject | null {
  const value = member(object, name);
  return isJsonObject(value) ? value : null;
}

function textIn(object: JsonObject, name: string): string {
  const value = member(object, name);
  if (typeof value !== 'string') throw new NotRedrawable(`snapshot.${name} is not in this form of the certificate`);
  return value;
}
