import { inflateSync } from 'node:zlib';

/** RGBA bytes of a PNG, rows from the top: 8-bit RGB or RGBA without interlace, which is what the browser writes. */
export function pngPixels(png: Buffer): Buffer {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const channels = png[25] === 6 ? 4 : 3;
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const packed = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  let above = Buffer.alloc(stride);
  const pixels = Buffer.alloc(width * height * 4, 255);
  for (let y = 0; y < height; y++) {
    const start = y * (stride + 1);
    const row = Buffer.from(packed.subarray(start + 1, start + 1 + stride));
    unfilter(packed[start] ?? 0, row, above, channels);
    for (let x = 0; x < width; x++) row.copy(pixels, (y * width + x) * 4, x * channels, (x + 1) * channels);
    above = row;
  }
  return pixels;
}

function unfilter(kind: number, row: Buffer, above: Buffer, step: number): void {
  if (kind === 0) return;
  for (let i = 0; i < row.length; i++) {
    const a = i < step ? 0 : (row[i - step] ?? 0);
    const b = above[i] ?? 0;
    const c = i < step ? 0 : (above[i - step] ?? 0);
    const guess = kind === 1 ? a : kind === 2 ? b : kind === 3 ? (a + b) >> 1 : paeth(a, b, c);
    row[i] = ((row[i] ?? 0) + guess) & 0xff;
  }
}

function paeth(a: number, b: number, c: number): number {
  const p = a + b - c;
  const [da, db, dc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
  if (da <= db && da <= dc) return a;
  return db <= dc ? b : c;
}
