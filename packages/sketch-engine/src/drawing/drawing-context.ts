/** The canvas object that sketches hold. */
export interface CanvasHandle {
  readonly width: number;
  readonly height: number;
}

/** Pixels as a sketch holds them: RGBA, not premultiplied. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

type Drawn = Pick<
  CanvasRenderingContext2D,
  | 'save'
  | 'restore'
  | 'setTransform'
  | 'transform'
  | 'translate'
  | 'rotate'
  | 'scale'
  | 'beginPath'
  | 'moveTo'
  | 'lineTo'
  | 'quadraticCurveTo'
  | 'bezierCurveTo'
  | 'arc'
  | 'ellipse'
  | 'rect'
  | 'closePath'
  | 'stroke'
  | 'fillRect'
  | 'clearRect'
  | 'fillText'
  | 'strokeText'
>;

/** The part of the canvas's 2D context that the drawing layer uses: the browser's own has it, and the portable one. */
export interface DrawingContext extends Drawn {
  readonly canvas: CanvasHandle;
  fillStyle: unknown;
  strokeStyle: unknown;
  globalAlpha: number;
  globalCompositeOperation: string;
  lineWidth: number;
  lineCap: string;
  lineJoin: string;
  filter: string;
  font: string;
  textAlign: string;
  textBaseline: string;
  imageSmoothingEnabled: boolean;
  fill(): void;
  clip(): void;
  getTransform(): Readonly<Record<'a' | 'b' | 'c' | 'd' | 'e' | 'f', number>>;
  roundRect(x: number, y: number, width: number, height: number, radii: number[]): void;
  measureText(text: string): {
    readonly width: number;
    readonly fontBoundingBoxAscent: number;
    readonly fontBoundingBoxDescent: number;
  };
  drawImage(source: CanvasHandle, ...at: number[]): void;
  createImageData(width: number, height: number): Pixels;
  getImageData(x: number, y: number, width: number, height: number): Pixels;
  putImageData(pixels: Pixels, x: number, y: number, ...part: number[]): void;
}

const RELEASES = new WeakMap<DrawingContext, () => void>();

/** Registers how the memory of a canvas is freed. */
export function onRelease(ctx: DrawingContext, act: () => void): void {
  RELEASES.set(ctx, act);
}

/** Frees the memory of a canvas that is no longer drawn on or from. */
export function release(ctx: DrawingContext): void {
  RELEASES.get(ctx)?.();
  RELEASES.delete(ctx);
}
