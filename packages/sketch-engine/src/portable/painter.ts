import type { BlendMode, Canvas, CanvasKit, ImageFilter, Paint, Shader } from 'canvaskit-wasm';
import { grown, pixelsOf, type Bounds } from './bounds.js';
import type { Rgba } from './color-syntax.js';
import { PortableGradient, PortablePattern, type Fill } from './fills.js';
import { imageFilterOf } from './filters.js';
import { invert, isIdentity, rowsOf } from './matrix.js';
import type { MemorySurface } from './memory-surface.js';
import { hasShadow, type CanvasState } from './state.js';

type BlendName = Exclude<keyof CanvasKit['BlendMode'], 'values'>;

const BLEND_NAMES: Readonly<Record<string, BlendName>> = {
  'source-over': 'SrcOver',
  'source-in': 'SrcIn',
  'source-out': 'SrcOut',
  'source-atop': 'SrcATop',
  'destination-over': 'DstOver',
  'destination-in': 'DstIn',
  'destination-out': 'DstOut',
  'destination-atop': 'DstATop',
  lighter: 'Plus',
  copy: 'Src',
  xor: 'Xor',
  multiply: 'Multiply',
  screen: 'Screen',
  overlay: 'Overlay',
  darken: 'Darken',
  lighten: 'Lighten',
  'color-dodge': 'ColorDodge',
  'color-burn': 'ColorBurn',
  'hard-light': 'HardLight',
  'soft-light': 'SoftLight',
  difference: 'Difference',
  exclusion: 'Exclusion',
  hue: 'Hue',
  saturation: 'Saturation',
  color: 'Color',
  luminosity: 'Luminosity',
};
/** Modes that change the canvas where nothing is drawn as well. */
const UNBOUNDED = new Set(['source-in', 'source-out', 'destination-in', 'destination-atop', 'copy']);

/** The drawn object, in the state's coordinates. */
export interface Drawing {
  readonly draw: (canvas: Canvas, paint: Paint) => void;
  /** The covered area, for a stroke without its width; absent where it is not known. */
  readonly bounds?: () => Bounds;
}

export function isBlendMode(name: string): boolean {
  return Object.hasOwn(BLEND_NAMES, name);
}

/** Draws on one surface as a state says: blending, alpha, shadow, filter, transform. */
export class Painter {
  readonly #kit: CanvasKit;
  readonly #surface: MemorySurface;
  readonly #canvas: Canvas;
  readonly #paint: Paint;

  constructor(kit: CanvasKit, surface: MemorySurface) {
    this.#kit = kit;
    this.#surface = surface;
    this.#canvas = surface.canvas;
    this.#paint = new kit.Paint();
  }

  fill(state: CanvasState, drawing: Drawing): void {
    this.#paint.setStyle(this.#kit.PaintStyle.Fill);
    this.#drawWith(state, state.fill, drawing);
  }

  stroke(state: CanvasState, { draw, bounds }: Drawing): void {
    const { PathEffect, PaintStyle, StrokeCap, StrokeJoin } = this.#kit;
    const paint = this.#paint;
    paint.setStyle(PaintStyle.Stroke);
    paint.setStrokeWidth(state.lineWidth);
    paint.setStrokeMiter(state.miterLimit);
    paint.setStrokeCap(
      { butt: StrokeCap.Butt, round: StrokeCap.Round, square: StrokeCap.Square }[state.lineCap] ?? StrokeCap.Butt,
    );
    paint.setStrokeJoin(
      { miter: StrokeJoin.Miter, round: StrokeJoin.Round, bevel: StrokeJoin.Bevel }[state.lineJoin] ?? StrokeJoin.Miter,
    );
    const dash = state.dash.length === 0 ? null : PathEffect.MakeDash([...state.dash], state.dashOffset);
    paint.setPathEffect(dash);
    this.#drawWith(state, state.stroke, {
      draw,
      ...(bounds !== undefined && { bounds: () => grown(bounds(), reachOfStroke(state)) }),
    });
    paint.setPathEffect(null);
    dash?.delete();
  }

  /** For pictures: the paint has alpha, blending and no colour. */
  image(state: CanvasState, drawing: Drawing): void {
    this.#paint.setStyle(this.#kit.PaintStyle.Fill);
    this.#drawWith(state, [0, 0, 0, 1], drawing);
  }

  clearRect(state: CanvasState, x: number, y: number, w: number, h: number): void {
    const paint = this.#paint;
    paint.setStyle(this.#kit.PaintStyle.Fill);
    paint.setShader(null);
    paint.setImageFilter(null);
    paint.setBlendMode(this.#kit.BlendMode.Clear);
    this.#inCoordinates(state, () => {
      this.#canvas.drawRect4f(x, y, x + w, y + h, paint);
    });
    this.#surface.touch();
  }

  #drawWith(state: CanvasState, source: Rgba | Fill, drawing: Drawing): void {
    const shader = this.#setSource(state, source);
    if (shader === null) return;
    const paint = this.#paint;
    paint.setAntiAlias(true);
    paint.setBlendMode(this.#blendOf(state));
    const shadowed = hasShadow(state) && state.blend !== 'copy';
    if (shadowed || state.filter !== null || UNBOUNDED.has(state.blend)) this.#drawInLayer(state, shadowed, drawing);
    else
      this.#inCoordinates(state, () => {
        drawing.draw(this.#canvas, paint);
      });
    paint.setShader(null);
    shader?.delete();
    this.#surface.touch();
  }

  /**
   * Filters and shadows work on the canvas's own pixels, whatever the transform. Where the mode changes what is beside the
   * shape as well, the layer covers all of the clip; else only the shape, and Skia adds what filter and shadow reach.
   */
  #drawInLayer(state: CanvasState, shadowed: boolean, { draw, bounds }: Drawing): void {
    const canvas = this.#canvas;
    const filters: ImageFilter[] = [];
    let filter = imageFilterOf(this.#kit, state.filter ?? []);
    if (filter !== null) filters.push(filter);
    if (shadowed) {
      const [r, g, b, a] = state.shadowColor;
      const sigma = state.shadowBlur / 2;
      const color = this.#kit.Color4f(r / 255, g / 255, b / 255, a);
      filter = this.#kit.ImageFilter.MakeDropShadow(state.shadowX, state.shadowY, sigma, sigma, color, filter);
      filters.push(filter);
    }
    const layer = new this.#kit.Paint();
    layer.setBlendMode(this.#blendOf(state));
    layer.setImageFilter(filter);
    const covered = bounds === undefined || UNBOUNDED.has(state.blend) ? undefined : pixelsOf(bounds(), state.matrix);
    canvas.saveLayer(layer, covered?.every(Number.isFinite) === true ? [...covered] : null);
    this.#paint.setBlendMode(this.#kit.BlendMode.SrcOver);
    this.#inCoordinates(state, () => {
      draw(canvas, this.#paint);
    });
    canvas.restore();
    layer.delete();
    for (const made of filters) made.delete();
  }

  #inCoordinates({ matrix }: CanvasState, act: () => void): void {
    if (isIdentity(matrix)) {
      act();
      return;
    }
    if (invert(matrix) === null) return;
    this.#canvas.save();
    this.#canvas.concat(rowsOf(matrix));
    act();
    this.#canvas.restore();
  }

  /** @returns the shader to delete after drawing, undefined for a colour, null where nothing is to be drawn */
  #setSource(state: CanvasState, source: Rgba | Fill): Shader | null | undefined {
    const paint = this.#paint;
    if (!(source instanceof PortableGradient) && !(source instanceof PortablePattern)) {
      const [r, g, b, a] = source;
      paint.setColorComponents(r / 255, g / 255, b / 255, a * state.alpha);
      return undefined;
    }
    const shader =
      source instanceof PortableGradient
        ? PortableGradient.shaderOf(this.#kit, source)
        : PortablePattern.shaderOf(this.#kit, source, state.isSmoothing);
    paint.setColorComponents(0, 0, 0, state.alpha);
    paint.setShader(shader);
    return shader;
  }

  #blendOf({ blend }: CanvasState): BlendMode {
    return this.#kit.BlendMode[BLEND_NAMES[blend] ?? 'SrcOver'];
  }
}

/** How far a stroke may reach from its line: to the tip of a corner, or of a square cap. */
function reachOfStroke({ lineWidth, lineJoin, miterLimit }: CanvasState): number {
  return (lineWidth / 2) * Math.max(Math.SQRT2, lineJoin === 'miter' ? miterLimit : 0);
}
