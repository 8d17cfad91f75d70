import { takeMethod, takeSetter, type DrawingContext, type MakeCanvas } from '@cer/sketch-engine';

/** The parts of the document that the drawing layer keeps, taken before the page is confined. */
export interface CanvasTools {
  readonly makeCanvas: MakeCanvas;
  /** The context of the page's own canvas, its size fixed. */
  readonly contextOf: (canvas: HTMLCanvasElement) => CanvasRenderingContext2D;
}

// The CPU draws: pixels must not depend on a graphics card, and reading them back must not wait for one.
export const DRAWN_BY_CPU: CanvasRenderingContext2DSettings = { willReadFrequently: true, colorSpace: 'srgb' };

export function takeCanvasTools(page: Document): CanvasTools {
  const createElement = takeMethod(Document.prototype, 'createElement');
  const getContext = takeMethod(HTMLCanvasElement.prototype, 'getContext');
  const setWidth = takeSetter(HTMLCanvasElement.prototype, 'width');
  const setHeight = takeSetter(HTMLCanvasElement.prototype, 'height');

  const contextOf = (canvas: HTMLCanvasElement): CanvasRenderingContext2D => {
    const { width, height } = canvas;
    const ctx = getContext(canvas, '2d', DRAWN_BY_CPU) as CanvasRenderingContext2D | null;
    if (ctx === null) throw new Error('the canvas has no context');
    // The prototype's accessors go; what a sketch may still read is written on the canvas itself.
    Object.defineProperties(canvas, { width: { value: width }, height: { value: height } });
    return ctx;
  };
  return {
    contextOf,
    makeCanvas(width, height) {
      const canvas = createElement(page, 'canvas') as HTMLCanvasElement;
      const [w, h] = [sizeOf(width), sizeOf(height)];
      setWidth(canvas, w);
      setHeight(canvas, h);
      const ctx = getContext(canvas, '2d', DRAWN_BY_CPU) as CanvasRenderingContext2D | null;
      if (ctx === null) throw new Error('no canvas of this size');
      Object.defineProperties(canvas, { width: { value: w }, height: { value: h } });
      return ctx as DrawingContext;
    },
  };
}

function sizeOf(value: number): number {
  const size = Math.floor(value);
  if (!(size >= 1 && size <= 16_384)) throw new RangeError('a graphics size is 1 to 16384');
  return size;
}
