import type { CssColorReader } from './color.js';
import type { DrawingContext } from './drawing-context.js';

/** Makes a reader that lets the browser itself parse: every CSS colour works, named ones included. */
export function cssColorReader(ctx: DrawingContext): CssColorReader {
  const known = new Map<string, readonly [number, number, number, number] | undefined>();
  return (text) => {
    if (known.has(text)) return known.get(text);
    const color = read(ctx, text);
    if (known.size < 1000) known.set(text, color);
    return color;
  };
}

function read(ctx: DrawingContext, text: string): readonly [number, number, number, number] | undefined {
  // The browser writes alpha back rounded; two digits of it are read here.
  const [digits, alpha] = [text.slice(0, 7), text.slice(7)];
  if (/^#[0-9a-f]{8}$/i.test(text)) {
    const color = read(ctx, digits);
    return color && [color[0], color[1], color[2], hexByte(alpha) / 255];
  }
  ctx.save();
  // An unknown colour leaves the style as it was, so one of these two shows whether it was understood.
  ctx.fillStyle = '#000001';
  ctx.fillStyle = text;
  const first = String(ctx.fillStyle);
  ctx.fillStyle = '#000002';
  ctx.fillStyle = text;
  const second = String(ctx.fillStyle);
  ctx.restore();
  if (first !== second) return undefined;
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/.exec(first);
  if (hex !== null) return [hexByte(hex[1]), hexByte(hex[2]), hexByte(hex[3]), 1];
  const rgba = /^rgba\((\d+), (\d+), (\d+), ([\d.e-]+)\)$/.exec(first);
  return rgba === null ? undefined : [Number(rgba[1]), Number(rgba[2]), Number(rgba[3]), Number(rgba[4])];
}

function hexByte(digits: string | undefined): number {
  return Number.parseInt(digits ?? '0', 16);
}
