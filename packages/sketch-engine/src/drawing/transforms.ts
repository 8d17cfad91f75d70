import { blendModeOf } from './blend-modes.js';
import { modeOf } from './modes.js';
import { drawPicture, isPicture } from './pictures.js';
import { isPoint, type Coordinate, type Point } from './points.js';
import { Vector } from './vector.js';
import { applyStyle, ERASING, type Pen, type SketchFunctions, type Style } from './style.js';

function boxModeOf(mode: unknown, name: string): string {
  const rule = `${name}: must be CORNER, CORNERS, CENTER or RADIUS`;
  return modeOf(mode, ['corner', 'corners', 'center', 'radius'], rule);
}

/** Transforms, `push` and `pop`, modes, background and blending. */
export function transformFunctions(pen: Pen): SketchFunctions {
  const { ctx } = pen;
  const kept: Style[] = [];
  const change = (part: Partial<Style>): void => {
    pen.style = { ...pen.style, ...part };
  };
  const onWholeCanvas = (act: () => void): void => {
    ctx.save();
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    act();
    ctx.restore();
  };
  return {
    push() {
      kept.push(pen.style);
      ctx.save();
    },
    pop() {
      const style = kept.pop();
      if (style === undefined) return;
      // It brings back what the sketch set in its context too, a gradient for one.
      ctx.restore();
      pen.style = style;
    },
    translate(x: Coordinate | Point, y?: Coordinate) {
      if (isPoint(x)) ctx.translate(x.x, x.y);
      else ctx.translate(Number(x), Number(y));
    },
    rotate(angle: number) {
      ctx.rotate(pen.radiansOf(angle));
    },
    scale(...factors: (Coordinate | Point | Coordinate[])[]) {
      const [x, y = x] = factors.flat();
      if (isPoint(x)) ctx.scale(x.x, x.y);
      else ctx.scale(Number(x), Number(y));
    },
    shearX(angle: number) {
      ctx.transform(1, 0, Math.tan(pen.radiansOf(angle)), 1, 0, 0);
    },
    shearY(angle: number) {
      ctx.transform(1, Math.tan(pen.radiansOf(angle)), 0, 1, 0, 0);
    },
    applyMatrix(...values: number[] | [readonly number[]]) {
      const [a = NaN, b = NaN, c = NaN, d = NaN, e = NaN, f = NaN] = values.flat();
      ctx.transform(a, b, c, d, e, f);
    },
    resetMatrix() {
      ctx.setTransform(1, 0, 0, 1, 0, 0);
    },
    worldToScreen(x: number | Point, y = 0) {
      const [px, py] = typeof x === 'number' ? [x, y] : [x.x, x.y];
      const { a, b, c, d, e, f } = ctx.getTransform();
      return new Vector(a * px + c * py + e, b * px + d * py + f);
    },
    screenToWorld(x: number | Point, y = 0) {
      const { a, b, c, d, e, f } = ctx.getTransform();
      const [dx, dy] = typeof x === 'number' ? [x - e, y - f] : [x.x - e, x.y - f];
      const area = a * d - b * c;
      return new Vector((d * dx - c * dy) / area, (a * dy - b * dx) / area);
    },
    background(...args: unknown[]) {
      const picture = args[0];
      if (isPicture(picture)) {
        onWholeCanvas(() => {
          if (Number(args[1]) >= 0) ctx.globalAlpha = Number(args[1]) / 255;
          drawPicture(pen, picture, [0, 0, pen.width, pen.height]);
        });
        return;
      }
      const color = pen.colorOf(args).toString();
      onWholeCanvas(() => {
        ctx.fillStyle = color;
        // Only shapes erase.
        if (pen.style.eraser !== undefined) ctx.globalCompositeOperation = pen.style.blend;
        ctx.fillRect(0, 0, pen.width, pen.height);
      });
    },
    clear() {
      onWholeCanvas(() => {
        ctx.clearRect(0, 0, pen.width, pen.height);
      });
    },
    blendMode(mode: unknown) {
      const chosen = blendModeOf(mode);
      change({ blend: chosen });
      ctx.globalCompositeOperation = chosen;
    },
    // Within itself it does nothing, as in p5.js.
    erase(fill?: number, stroke?: number) {
      if (pen.style.eraser !== undefined) return;
      const strength = (alpha?: number): string => pen.colorOf([255, alpha]).toString();
      change({ eraser: { fill: strength(fill), stroke: strength(stroke) } });
      applyStyle(pen);
      ctx.globalCompositeOperation = ERASING;
    },
    noErase() {
      if (pen.style.eraser === undefined) return;
      change({ eraser: undefined });
      applyStyle(pen);
      ctx.globalCompositeOperation = pen.style.blend;
    },
    colorMode: (...args: unknown[]) => {
      change({ colorMode: pen.colorModeOf(args) });
    },
    rectMode: (mode: unknown) => {
      change({ rectMode: boxModeOf(mode, 'rectMode') });
    },
    ellipseMode: (mode: unknown) => {
      change({ ellipseMode: boxModeOf(mode, 'ellipseMode') });
    },
    imageMode: (mode: unknown) => {
      const rule = 'imageMode: must be CORNER, CORNERS or CENTER';
      change({ imageMode: modeOf(mode, ['corner', 'corners', 'center'], rule) });
    },
    strokeCap(cap: unknown) {
      const rule = 'strokeCap: must be ROUND, SQUARE or PROJECT';
      const chosen = modeOf(cap, ['round', 'butt', 'square', 'project'], rule);
      ctx.lineCap = chosen === 'project' ? 'square' : chosen;
    },
    strokeJoin(join: unknown) {
      ctx.lineJoin = modeOf(join, ['miter', 'bevel', 'round'], 'strokeJoin: must be MITER, BEVEL or ROUND');
    },
    smooth() {
      ctx.imageSmoothingEnabled = true;
    },
    noSmooth() {
      ctx.imageSmoothingEnabled = false;
    },
  };
}
