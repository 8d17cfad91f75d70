import { beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { crc32, inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { readPngModule } from '../../src/files/png-module.js';
import { pngEncoder, type EncodePng } from '../../src/png/encode-png.js';

/** The pixels of a PNG whose rows are all filtered by the row above, and its channels. zlib checks the stream. */
function decode(png: Uint8Array): { readonly width: number; readonly channels: number; readonly pixels: number[] } {
  const bytes = Buffer.from(png);
  const [width, height, channels] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20), bytes[25] === 6 ? 4 : 3];
  const length = bytes.readUInt32BE(33);
  const rows = inflateSync(bytes.subarray(41, 41 + length));
  const pixels: number[] = [];
  const stride = width * channels;
  const above = new Uint8Array(stride);
  for (let y = 0; y < height; y++) {
    expect(rows[y * (stride + 1)]).toBe(2);
    for (let x = 0; x < stride; x++) {
      above[x] = (above[x] ?? 0) + (rows[y * (stride + 1) + 1 + x] ?? 0);
      pixels.push(above[x] ?? 0);
      if (channels === 3 && x % 3 === 2) pixels.push(255);
    }
  }
  return { width, channels, pixels };
}

const flat = (size: number, pixel: readonly number[]): number[] => Array.from({ length: size }, () => pixel).flat();

let encodePng: EncodePng;
beforeAll(async () => {
  encodePng = pngEncoder((await readPngModule()).toString('base64'));
});

describe('PNG', () => {
  it('gives back every pixel, of any picture', () => {
    const pixel = fc.constantFrom([0, 0, 0, 255], [1, 2, 3, 255], [255, 0, 7, 255], [9, 9, 9, 128], [0, 0, 0, 0]);
    const run = fc.tuple(fc.integer({ min: 1, max: 300 }), pixel).map(([size, value]) => flat(size, value));
    const noise = fc
      .uint8Array({ minLength: 64, maxLength: 256 })
      .map((bytes) => [...bytes].slice(0, (bytes.length >> 2) * 4));
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 90 }),
        fc.array(fc.oneof(run, noise), { minLength: 1, maxLength: 20 }),
        (width, parts) => {
          const all = parts.flat();
          const height = Math.max(1, Math.floor(all.length / 4 / width));
          const pixels = Uint8Array.from({ length: width * height * 4 }, (_, i) => all[i] ?? 255);
          expect(decode(encodePng(pixels, width, height))).toMatchObject({ width, pixels: [...pixels] });
        },
      ),
    );
  });

  it('gives back more noise than one block holds', () => {
    const pixels = new Uint8Array(200 * 200 * 4);
    let state = 1;
    for (let i = 0; i < pixels.length; i++) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      pixels[i] = i % 4 === 3 ? 255 : state >>> 24;
    }
    const { pixels: back, channels } = decode(encodePng(pixels, 200, 200));
    expect(Buffer.from(back).equals(pixels)).toBe(true);
    expect(channels).toBe(3);
  });

  it('has a right checksum on every chunk', () => {
    const png = Buffer.from(encodePng(Uint8Array.from(flat(100, [5, 6, 7, 200])), 10, 10));
    for (let at = 8; at < png.length;) {
      const length = png.readUInt32BE(at);
      expect(png.readUInt32BE(at + 8 + length)).toBe(crc32(png.subarray(at + 4, at + 8 + length)));
      at += 12 + length;
    }
  });

  it('is pinned to the byte', () => {
    const pixels = Uint8Array.from({ length: 64 * 64 * 4 }, (_, i) =>
      i % 4 === 3 ? 255 : ((i >> 5) * (i >> 9)) & 0xff,
    );
    const hash = createHash('sha256')
      .update(encodePng(pixels, 64, 64))
      .digest('hex');
    expect(hash).toMatchInlineSnapshot(`"6dc41fb1f3d80c5a8d9142f7329f586ac203a0770504d872d95e45dd8ca949a6"`);
  });
});
