import { inflateSync } from 'node:zlib';

/** RGBA bytes of a PNG, rows from the top: 8-bit RGB or RGBA without interlace, which is what both engines write. */
export function pngPixels(png) {
  const [width, height, channels] = [png.readUInt32BE(16), png.readUInt32BE(20), png[25] === 6 ? 4 : 3];
  const parts = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const packed = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const pixels = Buffer.alloc(width * height * 4, 255);
  let above = Buffer.alloc(stride);
  for (let y = 0; y < height; y += 1) {
    const start = y * (stride + 1);
    const row = Buffer.from(packed.subarray(start + 1, start + 1 + stride));
    unfilter(packed[start], row, above, channels);
    for (let x = 0; x < width; x += 1)
      for (let c = 0; c < channels; c += 1) pixels[(y * width + x) * 4 + c] = row[x * channels + c];
    above = row;
  }
  return pixels;
}

function unfilter(filter, row, above, step) {
  if (filter === 0) return;
  for (let i = 0; i < row.length; i += 1) {
    const left = i < step ? 0 : row[i - step];
    if (filter === 1) row[i] += left;
    else if (filter === 2) row[i] += above[i];
    else if (filter === 3) row[i] += (left + above[i]) >> 1;
    else row[i] += paeth(left, above[i], i < step ? 0 : above[i - step]);
  }
}

function paeth(left, up, corner) {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}
