/** Pixels as a sketch holds them: RGBA, not premultiplied. */
export class PortableImageData {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray<ArrayBuffer>;
  readonly colorSpace = 'srgb';

  /** @throws RangeError for a size that no picture has */
  constructor(width: number, height: number, data?: Uint8ClampedArray<ArrayBuffer>) {
    const isSize = (value: number): boolean => Number.isInteger(value) && value >= 1 && value <= 16_384;
    if (!isSize(width) || !isSize(height)) throw new RangeError('a picture has 1 to 16384 pixels on each side');
    this.width = width;
    this.height = height;
    this.data = data ?? new Uint8ClampedArray(width * height * 4);
    if (this.data.length !== width * height * 4) throw new RangeError('the data does not fit the size');
  }
}
