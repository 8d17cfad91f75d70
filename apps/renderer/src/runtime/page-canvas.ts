import type { MakeCanvas } from './drawing/surface.js';

/** What the drawing layer keeps of the document, taken before the page is confined. */
export interface CanvasTools {
  readonly makeCanvas: MakeCanvas;
  /** The context of the page's own canvas, its size fixed. */
  readonly contextOf: (canvas: HTMLCanvasElement) => CanvasRenderingContext2D;
}

// The CPU draws: pixels must not depend on a graphics card, and reading them back must not wait for one.
const SETTINGS: CanvasRenderingContext2DSettings = { willReadFrequently: true, colorSpace: 'srgb' };

export function takeCanvasTools(page: Document): CanvasTools {
  const createElement = page.createElement.bind(page);
  const proto = HTMLCanvasElement.prototype;
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its canvas through Reflect, after the prototype was emptied
  const { getContext } = proto;
  const setterOf = (name: 'width' | 'height'): ((value: number) => void) | undefined =>
    Object.getOwnPropertyDescriptor(proto, name)?.set;
  const [setWidth, setHeight] = [setterOf('width'), setterOf('height')];
  if (setWidth === undefined || setHeight === undefined) throw new Error('the canvas has no size');

  const contextOf = (canvas: HTMLCanvasElement): CanvasRenderingContext2D => {
    const { width, height } = canvas;
    const ctx = Reflect.apply(getContext, canvas, ['2d', SETTINGS]) as CanvasRenderingContext2D | null;
    if (ctx === null) throw new Error('the canvas has no context');
    // The prototype's accessors go; what a sketch may still read is written on the canvas itself.
    Object.defineProperties(canvas, { width: { value: width }, height: { value: height } });
    return ctx;
  };
  return {
    contextOf,
    makeCanvas(width, height) {
      const canvas = createElement('canvas');
      const [w, h] = [sizeOf(width), sizeOf(height)];
      Reflect.apply(setWidth, canvas, [w]);
      Reflect.apply(setHeight, canvas, [h]);
      const ctx = Reflect.apply(getContext, canvas, ['2d', SETTINGS]) as CanvasRenderingContext2D | null;
      if (ctx === null) throw new Error('no canvas of this size');
      Object.defineProperties(canvas, { width: { value: w }, height: { value: h } });
      return ctx;
    },
  };
}

function sizeOf(value: number): number {
  const size = Math.floor(value);
  if (!(size >= 1 && size <= 16_384)) throw new RangeError('a graphics size is 1 to 16384');
  return size;
}
