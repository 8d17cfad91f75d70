import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeInChromium, launchChromium, newPage, type Browser, type Page } from '@cer/test-browser';
import { build } from 'esbuild';
import { insteadOf } from '../../src/run/absent-names.js';

const P5 = `${__dirname}/../../../../node_modules/p5/lib/p5.min.js`;

/** The lines of a file beside this one: code of sketches, one each. */
function sketchesIn(name: string): readonly string[] {
  return readFileSync(`${__dirname}/${name}`, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

async function bundlePage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`${__dirname}/page.mjs`],
    bundle: true,
    write: false,
    format: 'iife',
    define: { 'import.meta.url': '"page"', SIZE: '200' },
    external: ['module'],
  });
  return outputFiles.map(({ text }) => text).join('\n');
}

describeInChromium('The drawing layer beside p5.js', () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await launchChromium();
    page = await newPage(browser);
    await page.setContent('<!doctype html><main></main>');
    await page.addScriptTag({ content: readFileSync(P5, 'utf8') });
    await page.addScriptTag({ content: await bundlePage() });
  });
  afterAll(async () => {
    await browser.close();
  });

  /** What a function of the page makes of a list, by item. */
  async function outcomes(call: string, codes: readonly string[]): Promise<Record<string, unknown>> {
    const values: unknown = await page.evaluate(`((codes) => ${call})(${JSON.stringify(codes)})`);
    if (!Array.isArray(values) || values.length !== codes.length) throw new TypeError('the page gave another list');
    return Object.fromEntries(codes.map((code, index) => [code, values[index] as unknown]));
  }

  it('gives the values that p5.js gives', async () => {
    const codes = sketchesIn('values.txt');
    expect(await outcomes('valuesOfOurs(codes)', codes)).toEqual(await outcomes('valuesOfP5(codes)', codes));
  });

  it('writes a vector as p5.js 1 does', async () => {
    const code = 'String(createVector(1, 2))';
    expect(await outcomes('valuesOfOurs(codes)', [code])).toEqual({ [code]: 'p5.Vector Object : [1, 2, 0]' });
  });

  it('has each name of p5.js, or says what to use instead', async () => {
    const absent = String(await page.evaluate('absentNames()')).split(' ');
    // A vector has three parts.
    const unexplained = absent.filter((name) => insteadOf(name) === undefined);
    expect(unexplained).toEqual(['dimensions', 'w', 'friendlyErrorsDisabled']);
    expect(absent).toEqual(expect.arrayContaining(['box', 'loadImage', 'textBounds']));
  });

  it.each(["fill('oklch(0.7 0.1 200)')", "color('lab(50 10 10)')", "stroke('color(srgb 1 0 0)')", "red('rgb(1, 2)')"])(
    'refuses a function of colours that sketches lack: %s',
    async (code) => {
      const refused = `return (() => { try { ${code}; return 'drawn'; } catch ({ name }) { return name; } })()`;
      expect(await outcomes('valuesOfOurs(codes)', [refused])).toEqual({ [refused]: 'TypeError' });
    },
  );

  it.each([
    ...["fill('gren')", "color('#12345')", "stroke('ffaa77')", "background('')", "color('100', '50')", "tint('red;')"],
    ...['fill(undefined)', 'stroke({})', 'color([])', 'background(() => 1)', 'red(undefined)', 'background()'],
    ...['image({}, 0, 0)', 'copy({}, 0, 0, 9, 9, 0, 0, 9, 9)', 'copy(undefined, 0, 0, 9, 9, 0, 0, 9, 9)'],
    ...['createImage(9, 9).mask({})', 'blend({}, 0, 0, 9, 9, 0, 0, 9, 9, BLEND)'],
  ])('refuses what is not a colour or a picture: %s', async (code) => {
    const refused = `return (() => { try { ${code}; return 'drawn'; } catch ({ name }) { return name; } })()`;
    expect(await outcomes('valuesOfOurs(codes)', [refused])).toEqual({ [refused]: 'TypeError' });
  });

  it.each([
    ["color('12', '200', '3')", [12, 200, 3, 255]],
    ['color(1, 2, 3, undefined)', [1, 2, 3, 255]],
    ["color('hsba(160, 100%, 50%, 0.5)')", [0, 128, 85, 128]],
    ["color('HSLA(160, 100%, 50%, 0.5)')", [0, 255, 170, 128]],
  ])('takes the colours of p5.js 1: %s', async (code, color) => {
    expect(await outcomes('valuesOfOurs(codes)', [code])).toEqual({ [code]: { color } });
  });

  it.each([
    ['createVector(1, 2, 3).lerp(3, 4, 0)', { vector: [1, 2, 3] }],
    ['const i = createImage(9, 5); i.resize(0, 0); return [i.width, i.height]', [9, 5]],
  ])('gives the values of p5.js 1: %s', async (code, value) => {
    expect(await outcomes('valuesOfOurs(codes)', [code])).toEqual({ [code]: value });
  });

  it.each([
    [
      'beginShape(TESS); vertex(9, 9); vertex(90, 20); vertex(50, 90); endShape(CLOSE)',
      'triangle(9, 9, 90, 20, 50, 90)',
    ],
    ['beginShape(TRIANGLE_STRIP); vertex(9, 9); vertex(90, 20); endShape()', 'line(90, 20, 9, 9)'],
    ['beginShape(); vertex(9, 9); quadraticVertex(90, 20, 50); endShape()', ''],
    ['curve(9, 9, 50, 90)', ''],
    ['strokeWeight(9); point(50)', ''],
  ])('draws what p5.js 1 draws: %s', async (code, same) => {
    const drawn = (one: string): string => `clear(); ${one}; loadPixels(); drawn.push(pixels.join())`;
    const compare = `const drawn = []; ${drawn(code)}; ${drawn(same)}; return drawn[0] === drawn[1]`;
    expect(await outcomes('valuesOfOurs(codes)', [compare])).toEqual({ [compare]: true });
  });

  it.each([
    ...["rectMode('middle')", "ellipseMode('')", 'imageMode(RADIUS)', 'rectMode(undefined)', 'ellipseMode(5)'],
    ...["strokeCap('flat')", "strokeJoin('sharp')", "angleMode('turns')", "blendMode('tint')"],
    ...["textAlign('middle')", "textAlign(LEFT, 'under')", "textStyle('heavy')", "textWrap('line')"],
    ...["beginShape('hexagons')", "beginShape(); endShape('shut')", "arc(9, 9, 9, 9, 0, 1, 'half')", 'bezierOrder(4)'],
    ...["splineProperty('ends', 'tied')", "splineProperty('knots')", 'splineProperties({ ends: 1 })'],
    ...["image(get(), 0, 0, 9, 9, 0, 0, 9, 9, 'fill')", 'image(get(), 0, 0, 9, 9, 0, 0, 9, 9, COVER, TOP)'],
    ...["color(1).toString('#rrrggg')", "createGraphics(9, 9).rectMode('middle')"],
    ...['p5.Image(9, 9)', 'new p5.Color(1)', 'new (class extends p5.Image {})(9, 9)'],
    ...["colorMode('oklch')", "colorMode('nonsense', 1)", "filter('sepia')", 'filter()'],
  ])('refuses a mode that sketches lack: %s', async (code) => {
    const refused = `return (() => { try { ${code}; return 'drawn'; } catch ({ name }) { return name; } })()`;
    expect(await outcomes('valuesOfOurs(codes)', [refused])).toEqual({ [refused]: 'ProtocolViolation' });
  });

  it('draws the pixels that p5.js draws', async () => {
    const codes = sketchesIn('drawings.txt');
    const one = 'codes.reduce(async (all, code) => [...(await all), await differingChannels(code)], [])';
    expect(await outcomes(one, codes)).toEqual(Object.fromEntries(codes.map((code) => [code, 0])));
  });
});
