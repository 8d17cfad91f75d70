import type { Pen, SketchFunctions } from './style.js';
import { refuse } from './violation.js';

/** Which side of the shapes stays visible. */
interface ClipOptions {
  readonly invert?: boolean;
}

/** `beginClip` to `endClip`: the shapes between them are one path, and later ones show only inside it. */
export function clipFunctions(pen: Pen): SketchFunctions {
  const { ctx, width, height } = pen;
  const beginClip = ({ invert = false }: ClipOptions = {}): void => {
    if (pen.isClipping) refuse('beginClip: the last one needs its endClip first');
    pen.isClipping = true;
    ctx.beginPath();
    if (!invert) return;
    // Around everything, against the direction of shapes: what they enclose counts as outside.
    ctx.moveTo(-2 * width, -2 * height);
    ctx.lineTo(-2 * width, 2 * height);
    ctx.lineTo(2 * width, 2 * height);
    ctx.lineTo(2 * width, -2 * height);
    ctx.closePath();
  };
  const endClip = (): void => {
    if (!pen.isClipping) refuse('endClip: needs a beginClip first');
    pen.isClipping = false;
    ctx.clip();
  };
  return {
    beginClip,
    endClip,
    clip(draw: () => void, options?: ClipOptions) {
      beginClip(options);
      draw();
      endClip();
    },
  };
}
