import { beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import type { MakePortableCanvas } from '../../src/portable/load.js';
import type { PortableContext } from '../../src/portable/context.js';
import { loadEngine } from './engine.js';

const MODES = [
  ...['source-over', 'source-in', 'source-out', 'source-atop', 'destination-over', 'destination-in', 'destination-out'],
  ...[
    'destination-atop',
    'lighter',
    'copy',
    'xor',
    'multiply',
    'screen',
    'overlay',
    'darken',
    'lighten',
    'color-dodge',
  ],
  ...['color-burn', 'hard-light', 'soft-light', 'difference', 'exclusion', 'hue', 'saturation', 'color', 'luminosity'],
];
const ALPHAS = [1, 0.5, 0.013];

let make: MakePortableCanvas;
beforeAll(async () => {
  make = await loadEngine();
});

const hashOf = (ctx: PortableContext): string =>
  createHash('sha256')
    .update(ctx.getImageData(0, 0, ctx.canvas.width, ctx.canvas.height).data)
    .digest('hex')
    .slice(0, 16);

/** Every pair of colours beside each other, once with whole pixels and once with edges between them. */
function blended(mode: string): string {
  const ctx = make(96, 96);
  const colors = ['#000', '#fff', '#f00', '#0a7', '#35c', '#fc3'];
  for (const alpha of ALPHAS) {
    colors.forEach((color, row) => {
      ctx.globalCompositeOperation = 'source-over';
      ctx.globalAlpha = 0.8;
      ctx.fillStyle = color;
      ctx.fillRect(0, row * 16 + ALPHAS.indexOf(alpha) * 5, 96, 5);
    });
    ctx.globalCompositeOperation = mode;
    ctx.globalAlpha = alpha;
    colors.forEach((color, column) => {
      ctx.fillStyle = color;
      ctx.beginPath();
      ctx.ellipse(column * 16 + 8.3, 48.7, 6.9, 44.1, 0.05, 0, 7);
      ctx.fill();
      if (!['copy', 'source-in', 'source-out', 'destination-in', 'destination-atop'].includes(mode))
        ctx.fillRect(column * 16, 0, 4, 96);
    });
  }
  return hashOf(ctx);
}

const DRAWINGS: Readonly<Record<string, (ctx: PortableContext) => void>> = {
  strokes: (ctx) => {
    for (const [i, cap] of ['butt', 'round', 'square'].entries())
      for (const [j, join] of ['miter', 'round', 'bevel'].entries()) {
        ctx.lineCap = cap;
        ctx.lineJoin = join;
        ctx.lineWidth = 1.5 + i + j;
        ctx.setLineDash(i === j ? [7, 3.5] : []);
        ctx.beginPath();
        ctx.moveTo(5 + i * 40, 8 + j * 40);
        ctx.lineTo(30 + i * 40, 12 + j * 40);
        ctx.quadraticCurveTo(9 + i * 40, 20 + j * 40, 22.5 + i * 40, 33 + j * 40);
        ctx.stroke();
      }
  },
  curves: (ctx) => {
    ctx.beginPath();
    ctx.arc(40, 40, 30, 0.2, 5);
    ctx.arcTo(120, 10, 110, 90, 25);
    ctx.bezierCurveTo(90, 120, 10, 60, 20, 118);
    ctx.roundRect(60, 70, 50, 40, [3, 9, 27, 1]);
    ctx.fill('evenodd');
    ctx.stroke();
  },
  gradients: (ctx) => {
    const gradients = [
      ctx.createLinearGradient(3, 4, 60, 50),
      ctx.createRadialGradient(90, 20, 4, 95, 30, 33),
      ctx.createConicGradient(0.7, 30, 90),
    ];
    gradients.forEach((gradient, i) => {
      gradient.addColorStop(0, 'gold');
      gradient.addColorStop(0.4, 'rgba(0, 90, 200, 0.3)');
      gradient.addColorStop(1, 'hsl(300 80% 40%)');
      ctx.fillStyle = gradient;
      ctx.fillRect((i % 2) * 64, Math.floor(i / 2) * 64, 64, 64);
    });
  },
  'shadows and filters': (ctx) => {
    ctx.shadowColor = 'rgba(200, 0, 0, 0.7)';
    ctx.shadowBlur = 9;
    ctx.shadowOffsetX = 5;
    ctx.fillRect(10, 10, 30, 30);
    ctx.shadowColor = 'transparent';
    ctx.rotate(0.1);
    ctx.fillStyle = 'teal';
    for (const [i, filter] of [
      'blur(3px)',
      'sepia(60%) contrast(1.4)',
      'hue-rotate(80deg) saturate(2)',
      'drop-shadow(3px 4px 2px red)',
    ].entries()) {
      ctx.filter = filter;
      ctx.fillRect(60, 4 + i * 28, 40, 18);
    }
  },
  'images and patterns': (ctx) => {
    const stamp = make(16, 16);
    stamp.fillStyle = 'crimson';
    stamp.fillRect(2, 2, 9, 7);
    for (const [i, quality] of ['low', 'medium', 'high'].entries()) {
      ctx.imageSmoothingQuality = quality;
      ctx.drawImage(stamp.canvas, 1, 1, 12, 12, i * 40, 3.3, 37.5, 31);
    }
    ctx.imageSmoothingEnabled = false;
    ctx.drawImage(stamp, 100, 90, 28, 33);
    ctx.fillStyle = ctx.createPattern(stamp, 'repeat');
    ctx.rotate(0.3);
    ctx.fillRect(40, 40, 60, 60);
  },
  text: (ctx) => {
    [
      '12px serif',
      'bold 15px sans-serif',
      'italic 14px monospace',
      'bold italic 16px "Open Sans"',
      '13px nowhere',
    ].forEach((font, i) => {
      ctx.font = font;
      ctx.fillText('AVTo fi Ωж Žx', 4, 18 + i * 24, i === 4 ? 70 : undefined);
    });
    ctx.strokeText('Wave', 70, 120);
  },
  clips: (ctx) => {
    ctx.beginPath();
    ctx.arc(60, 60, 40.5, 0, 7);
    ctx.clip();
    ctx.save();
    ctx.scale(2, 1);
    ctx.clearRect(0, 0, 5, 5);
    ctx.fillRect(0, 0, 40, 100);
    ctx.restore();
    ctx.globalCompositeOperation = 'source-out';
    ctx.fillStyle = 'orange';
    ctx.fillRect(50, 50, 40, 40);
  },
  extremes: (ctx) => {
    for (const value of [NaN, Infinity, -Infinity]) {
      ctx.fillRect(value, 0, 10, 10);
      ctx.lineTo(value, 5);
      ctx.translate(value, 0);
    }
    ctx.save();
    ctx.scale(1e9, 1e9);
    ctx.fillRect(-1, -1, 1, 1);
    ctx.fillRect(1e-9, 1e-9, 2e-8, 3e-8);
    ctx.restore();
    ctx.scale(5e-324, 1);
    ctx.fillRect(0, 0, 1e300, 10);
    ctx.setTransform(0, 0, 0, 0, 0, 0);
    ctx.fillRect(0, 0, 100, 100);
    ctx.setTransform();
    ctx.beginPath();
    ctx.moveTo(-1e38, 20);
    ctx.lineTo(1e38, 30);
    ctx.lineTo(1e38, -1e38);
    ctx.fill();
  },
};

describe('The portable engine', () => {
  it('blends every mode, alpha and coverage to pinned pixels', () => {
    expect(Object.fromEntries(MODES.map((mode) => [mode, blended(mode)]))).toMatchInlineSnapshot(`
     {
       "color": "e172309c1df5ba66",
       "color-burn": "2f9e0e4f4edd87ae",
       "color-dodge": "824bdd35b0c80a1c",
       "copy": "3ae91d9031488235",
       "darken": "7d07e1ec34c3fe00",
       "destination-atop": "3ae91d9031488235",
       "destination-in": "1c02730953829883",
       "destination-out": "bf0a4bc082d1b608",
       "destination-over": "c2be6a3ffc410584",
       "difference": "865a07d3456d8ebf",
       "exclusion": "0f1432aaeac11b62",
       "hard-light": "cdea469dcb53003b",
       "hue": "ae9a543bbccf7fa8",
       "lighten": "1a9477a9f5edcfb2",
       "lighter": "76648de6afa9be1c",
       "luminosity": "2904381f73ac78a1",
       "multiply": "c8a4663d5a0b104d",
       "overlay": "4abd43e1bac740b8",
       "saturation": "8e170809522aa052",
       "screen": "417aae27dfbc1c5c",
       "soft-light": "b021e8c93ee316f8",
       "source-atop": "7c07496ee4db94bf",
       "source-in": "1c02730953829883",
       "source-out": "3ae91d9031488235",
       "source-over": "b8da52b279fd20cd",
       "xor": "8ce65f064e5a700f",
     }
    `);
  });

  it('draws everything else to pinned pixels', () => {
    const drawn = Object.entries(DRAWINGS).map(([name, draw]) => {
      const ctx = make(128, 128);
      draw(ctx);
      return [name, hashOf(ctx)];
    });
    expect(Object.fromEntries(drawn)).toMatchInlineSnapshot(`
     {
       "clips": "5a2c87dd50b761ed",
       "curves": "aeaa04b380942dc3",
       "extremes": "dfe94ced03c2be68",
       "gradients": "964efa9586d2f70c",
       "images and patterns": "8eb199cd1ddf8f5d",
       "shadows and filters": "d4737271059e700e",
       "strokes": "c48732dd49b3a4f2",
       "text": "a3a5117289522e24",
     }
    `);
  });

  it('gives back the pixels that were put in', () => {
    const ctx = make(16, 16);
    const pixels = ctx.createImageData(16, 16);
    pixels.data.forEach((_, i) => {
      pixels.data[i] = i % 4 === 3 ? 255 : (i * 37) % 256;
    });
    ctx.putImageData(pixels, 0, 0);
    expect(ctx.getImageData(0, 0, 16, 16).data).toEqual(pixels.data);
    ctx.putImageData(pixels, 10, -4, 2, 5, 3, 20);
    expect([...ctx.getImageData(12, 1, 1, 1).data]).toEqual([
      ...pixels.data.subarray((5 * 16 + 2) * 4, (5 * 16 + 3) * 4),
    ]);
    expect([...ctx.getImageData(-5, -5, 1, 1).data]).toEqual([0, 0, 0, 0]);
  });

  it('refuses work without memory for it, and continues', () => {
    expect(() => make(30_000, 30_000)).toThrow(RangeError);
    const huge: PortableContext[] = [];
    expect(() => {
      for (;;) huge.push(make(16_384, 16_384));
    }).toThrow(RangeError);
    const ctx = make(8, 8);
    ctx.fillRect(0, 0, 8, 8);
    expect([...ctx.getImageData(7, 7, 1, 1).data]).toEqual([0, 0, 0, 255]);
  });

  it('draws in ten thousand saved states and canvases', () => {
    const ctx = make(8, 8);
    for (let i = 0; i < 10_000; i++) {
      ctx.save();
      ctx.translate(1e-4, 0);
      ctx.rect(0, 0, 8, 8);
      if (i % 1000 === 0) ctx.clip();
      ctx.beginPath();
      if (i < 9_990) make(4, 4).fillRect(0, 0, 4, 4);
    }
    ctx.fillRect(0, 0, 2, 2);
    for (let i = 0; i <= 10_000; i++) ctx.restore();
    ctx.fillRect(4, 4, 1, 1);
    expect(hashOf(ctx)).toMatchInlineSnapshot(`"4557910373d9f273"`);
  });

  it('draws missing fonts in an existing one', () => {
    const [there, absent] = ["30px 'Noto Serif'", "30px Nowhere, 'Not Here Either'"].map((font) => {
      const ctx = make(128, 40);
      ctx.font = font;
      ctx.fillText('Fallback', 2, 30);
      return hashOf(ctx);
    });
    expect(absent).toBe(there);
  });

  it('asks for no time', async () => {
    let asked = 0;
    const clocks = [Date, performance].map((clock) => [clock, Object.getOwnPropertyDescriptor(clock, 'now')] as const);
    const now = (): number => {
      asked += 1;
      return 0;
    };
    for (const [clock] of clocks) Object.defineProperty(clock, 'now', { value: now, configurable: true });
    try {
      make = await loadEngine();
      for (const draw of Object.values(DRAWINGS)) draw(make(128, 128));
      Date.now();
    } finally {
      for (const [clock, before] of clocks)
        if (before === undefined) Reflect.deleteProperty(clock, 'now');
        else Object.defineProperty(clock, 'now', before);
    }
    // The one call of this test itself.
    expect(asked).toBe(1);
  });

  it('knows where its paths are', () => {
    const ctx = make(50, 50);
    ctx.translate(10, 10);
    ctx.rect(0, 0, 20, 20);
    ctx.resetTransform();
    expect([ctx.isPointInPath(15, 15), ctx.isPointInPath(5, 5), ctx.isPointInStroke(10, 15)]).toEqual([
      true,
      false,
      true,
    ]);
  });
});
