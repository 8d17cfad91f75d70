import type { Canvas, CanvasKit, Image, ImageInfo, Surface } from 'canvaskit-wasm';
import { outOfMemory } from '../drawing/violation.js';

/** A canvas's pixels in Skia's memory: RGBA, 8 bits, premultiplied, rows from the top. */
export class MemorySurface {
  readonly width: number;
  readonly height: number;
  readonly canvas: Canvas;
  readonly #kit: CanvasKit;
  readonly #surface: Surface;
  readonly #memory: ReturnType<CanvasKit['Malloc']>;
  #image: Image | undefined;

  /** @throws MemoryLimitError where there is no memory for it */
  constructor(kit: CanvasKit, width: number, height: number) {
    this.#kit = kit;
    this.width = width;
    this.height = height;
    this.#memory = this.#allocate();
    this.pixels().fill(0);
    const surface = kit.MakeRasterDirectSurface(this.#info(), this.#memory, width * 4);
    if (surface === null) {
      kit.Free(this.#memory);
      outOfMemory('no canvas of this size');
    }
    this.#surface = surface;
    this.canvas = surface.getCanvas();
  }

  /** A view of the memory itself; valid until Skia next allocates. */
  pixels(): Uint8Array {
    return this.#memory.toTypedArray() as Uint8Array;
  }

  /** Must be called whenever the pixels change. */
  touch(): void {
    this.#image?.delete();
    this.#image = undefined;
  }

  /** The picture as it is now; the surface keeps and deletes it. */
  image(): Image {
    this.#image ??= this.#copy();
    return this.#image;
  }

  /** Gives the memory back; the surface cannot be used any longer. */
  dispose(): void {
    this.touch();
    this.#surface.delete();
    this.#kit.Free(this.#memory);
  }

  #copy(): Image {
    // MakeImage allocates before it reads: room made now keeps the heap from growing, which would detach the pixels.
    this.#kit.Free(this.#allocate());
    const image = this.#kit.MakeImage(this.#info(), this.pixels(), this.width * 4);
    if (image === null) outOfMemory('no memory for a copy of the canvas');
    return image;
  }

  #allocate(): ReturnType<CanvasKit['Malloc']> {
    const memory = this.#kit.Malloc(Uint8Array, this.width * this.height * 4);
    if (memory.byteOffset === 0) outOfMemory('no memory for a canvas of this size');
    return memory;
  }

  #info(): ImageInfo {
    const { AlphaType, ColorSpace, ColorType } = this.#kit;
    return {
      width: this.width,
      height: this.height,
      colorType: ColorType.RGBA_8888,
      alphaType: AlphaType.Premul,
      colorSpace: ColorSpace.SRGB,
    };
  }
}
