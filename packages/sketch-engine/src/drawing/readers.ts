import type { Pen, SketchFunctions } from './style.js';

/** Functions that, called without arguments, return what is set, as in p5.js 2. */
export function withReaders(pen: Pen, functions: SketchFunctions): SketchFunctions {
  const { ctx } = pen;
  const readers: Readonly<Record<string, () => unknown>> = {
    fill: () => pen.style.fill ?? null,
    stroke: () => pen.style.stroke ?? null,
    tint: () => pen.style.tint ?? null,
    strokeWeight: () => pen.style.weight,
    strokeCap: () => ctx.lineCap,
    strokeJoin: () => ctx.lineJoin,
    blendMode: () => pen.style.blend,
    colorMode: () => pen.style.colorMode.model,
    rectMode: () => pen.style.rectMode,
    ellipseMode: () => pen.style.ellipseMode,
    imageMode: () => pen.style.imageMode,
    textAlign: () => ({ horizontal: pen.style.textHorizontal, vertical: pen.style.textVertical }),
    textFont: () => pen.style.textFont,
    textStyle: () => pen.style.textStyle,
    textWrap: () => pen.style.textWrap,
  };
  const reading = Object.entries(readers).map(([name, read]) => {
    const set = functions[name];
    return [name, (...args: never[]) => (args.length === 0 ? read() : set?.(...args))];
  });
  return { ...functions, ...(Object.fromEntries(reading) as SketchFunctions) };
}
