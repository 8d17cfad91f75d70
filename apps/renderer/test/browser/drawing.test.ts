import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startRenderer, type RendererUnderTest } from '../renderer-under-test.js';
import { describeWithBrowser } from '../with-browser.js';

/** The value of an expression inside a sketch, after `before` ran, taken from an error message. */
async function inSketch(
  renderer: RendererUnderTest,
  expression: string,
  before = '',
  more: object = {},
): Promise<unknown> {
  const { body } = await renderer.still(
    `function setup() { ${before}; throw new Error(JSON.stringify(${expression})); }`,
    more,
  );
  expect(body['error']).toBe('RENDER_ERROR');
  return JSON.parse(String(body['message']).replace(/^Error: /, '')) as unknown;
}

describeWithBrowser('The drawing surface', () => {
  let renderer: RendererUnderTest;
  beforeAll(async () => {
    renderer = await startRenderer();
  });
  afterAll(async () => {
    await renderer.close();
  });

  it('draws chance from the text seed alone', async () => {
    expect(await inSketch(renderer, '[SEED, random(), random()]', 'randomSeed(1)', { seed: 'default' })).toEqual([
      1544803905, 0.6270739405881613, 0.002735721180215478,
    ]);
    expect(await inSketch(renderer, '[SEED, random()]', '', { seed: '' })).toEqual([0, 0.26642920868471265]);
    expect(await inSketch(renderer, 'SEED', '', { seed: 'my-seed' })).toBe(1462865394);
  });

  it('gives ten read-only variables, the missing ones 0', async () => {
    expect(await inSketch(renderer, '[VAR.length, ...VAR]', '', { vars: [1, 99.5] })).toEqual([
      10, 1, 99.5, 0, 0, 0, 0, 0, 0, 0, 0,
    ]);
    const written = await renderer.still('function setup() { VAR[0] = 5; }', { vars: [1] });
    expect(written).toMatchObject({ status: 422, body: { error: 'RENDER_ERROR', line: 1 } });
    const replaced = await renderer.still('function setup() { VAR = [5]; }', { vars: [1] });
    expect(replaced).toMatchObject({
      status: 422,
      body: { error: 'RENDER_ERROR', message: 'TypeError: VAR is read-only' },
    });
  });

  it('takes colours in every overload of p5.js', async () => {
    const levels = (call: string): string => `color(${call}).levels`;
    const calls = [
      '51',
      '51, 102',
      '1, 2, 3',
      '1, 2, 3, 51',
      '"#abc"',
      '"rebeccapurple"',
      '"rgba(1, 2, 3, 0.5)"',
      '[9, 8, 7]',
    ];
    expect(await inSketch(renderer, `[${calls.map(levels).join()}]`)).toEqual([
      [51, 51, 51, 255],
      [51, 51, 51, 102],
      [1, 2, 3, 255],
      [1, 2, 3, 51],
      [170, 187, 204, 255],
      [102, 51, 153, 255],
      [1, 2, 3, 128],
      [9, 8, 7, 255],
    ]);
    expect(
      await inSketch(renderer, 'refused', 'let refused; try { color("no colour"); } catch (e) { refused = e.name; }'),
    ).toBe('TypeError');
  });

  it("mixes in HSB and HSL with p5.js's ranges", async () => {
    expect(
      await inSketch(
        renderer,
        '[color(120, 100, 100).levels, color(120, 100, 100, 0.5).levels, color(50).levels]',
        'colorMode(HSB)',
      ),
    ).toEqual([
      [0, 255, 0, 255],
      [0, 255, 0, 128],
      [128, 128, 128, 255],
    ]);
    expect(
      await inSketch(renderer, '[color(0, 100, 50).levels, color(240, 100, 25).levels]', 'colorMode(HSL)'),
    ).toEqual([
      [255, 0, 0, 255],
      [0, 0, 128, 255],
    ]);
    expect(await inSketch(renderer, 'color(0.5, 1, 1).levels', 'colorMode(HSB, 1)')).toEqual([0, 255, 255, 255]);
    expect(
      await inSketch(
        renderer,
        '[lerpColor(color(0), color(200), 0.5).levels, hue("#00f"), saturation("#f00"), brightness("#800000"), red("#102030"), alpha("#10203080")]',
      ),
    ).toEqual([[100, 100, 100, 255], 240, 100, 50.19607843137255, 16, 128]);
    expect(
      await inSketch(renderer, 'lerpColor(color(350, 100, 100), color(10, 100, 100), 0.5).levels', 'colorMode(HSB)'),
    ).toEqual([255, 0, 0, 255]);
  });

  it('paints where p5.js paints', async () => {
    const paint = 'noStroke(); background(255); fill(255, 0, 0);';
    const at = (x: number, y: number): string => `get(${x}, ${y})`;
    const red = [255, 0, 0, 255];
    const white = [255, 255, 255, 255];
    expect(
      await inSketch(
        renderer,
        `[${at(150, 150)}, ${at(50, 50)}]`,
        `${paint} rectMode(CENTER); rect(150, 150, 100, 100)`,
      ),
    ).toEqual([red, white]);
    expect(
      await inSketch(
        renderer,
        `[${at(110, 110)}, ${at(199, 199)}]`,
        `${paint} rectMode('CORNERS'); rect(100, 100, 200, 200)`,
      ),
    ).toEqual([red, red]);
    expect(
      await inSketch(
        renderer,
        `[${at(150, 150)}, ${at(102, 102)}]`,
        `${paint} ellipseMode(CORNER); ellipse(100, 100, 100)`,
      ),
    ).toEqual([red, white]);
    expect(
      await inSketch(
        renderer,
        `[${at(250, 220)}, ${at(250, 350)}]`,
        `${paint} angleMode(DEGREES); arc(250, 250, 300, 300, 180, 360)`,
      ),
    ).toEqual([red, white]);
    expect(
      await inSketch(
        renderer,
        `[${at(100, 100)}, ${at(300, 300)}]`,
        `${paint} translate(300, 300); push(); rotate(PI); fill(0, 0, 255); pop(); rect(-20, -20, 40, 40); background(0, 0)`,
      ),
    ).toEqual([white, red]);
    expect(
      await inSketch(
        renderer,
        `[${at(150, 150)}, ${at(110, 110)}]`,
        `${paint} beginShape(); vertex(100, 100); vertex(200, 100); vertex(200, 200); vertex(100, 200); beginContour(); vertex(130, 130); vertex(130, 170); vertex(170, 170); vertex(170, 130); endContour(); endShape(CLOSE)`,
      ),
    ).toEqual([white, red]);
  });

  it('restores the whole style on pop()', async () => {
    expect(
      await inSketch(
        renderer,
        '[get(20, 20), textSize()]',
        'background(255); noStroke(); fill(0, 255, 0); textSize(40); push(); fill(0); textSize(7); rectMode(CENTER); pop(); rect(10, 10, 30, 30)',
      ),
    ).toEqual([[0, 255, 0, 255], 40]);
  });

  it('keeps a point from changing the fill', async () => {
    expect(
      await inSketch(
        renderer,
        'get(60, 60)',
        'fill(0, 0, 255); stroke(255, 0, 0); point(5, 5); noStroke(); rect(50, 50, 30, 30)',
      ),
    ).toEqual([0, 0, 255, 255]);
  });

  it('draws graphics surfaces and images, tinted and cut', async () => {
    expect(
      await inSketch(
        renderer,
        '[get(10, 10), get(110, 10), get(210, 10)]',
        'const g = createGraphics(50, 50); g.background(200, 100, 50); image(g, 0, 0); tint(0, 255, 0); image(g, 100, 0); noTint(); image(g, 200, 0, 20, 20, 10, 10, 5, 5)',
      ),
    ).toEqual([
      [200, 100, 50, 255],
      [0, 100, 0, 255],
      [200, 100, 50, 255],
    ]);
    expect(
      await inSketch(
        renderer,
        'get(3, 4)',
        'const i = createImage(10, 10); i.loadPixels(); i.pixels.fill(255); i.updatePixels(); image(i, 0, 0); loadPixels(); pixels[(4 * width + 3) * 4] = 7; updatePixels()',
      ),
    ).toEqual([7, 255, 255, 255]);
    expect(await inSketch(renderer, 'get(1, 1)', 'background(10, 20, 30); filter(INVERT)')).toEqual([
      245, 235, 225, 255,
    ]);
  });

  it('calculates as p5.js does', async () => {
    const rows: readonly (readonly [string, unknown])[] = [
      ['map(5, 0, 10, 0, 100)', 50],
      ['map(20, 0, 10, 0, 100, true)', 100],
      ['constrain(9, 0, 5)', 5],
      ['int(-2.7)', -2],
      ['int("31.9")', 31],
      ['round(2.456, 2)', 2.46],
      ['dist(0, 0, 3, 4)', 5],
      ['dist(0, 0, 0, 2, 3, 6)', 7],
      ['max([3, 9, 4])', 9],
      ['norm(5, 0, 10)', 0.5],
      ['nf(3.14159, 3, 2)', '003.14'],
      ['nfc(1234567.891, 1)', '1,234,567.8'],
      ['trim([" a ", "b"])', ['a', 'b']],
      ['(() => { const to = [0, 0, 0]; arrayCopy([1, 2, 3], 1, to, 0, 2); return to; })()', [2, 3, 0]],
      ['(() => { const list = [3, 1, 2]; sort(list); return list; })()', [1, 2, 3]],
      ['hex(255, 4)', '00FF'],
      ['binary(5, 4)', '0101'],
      ['split("a,b", ",")', ['a', 'b']],
      ['splitTokens("a b,c", " ,")', ['a', 'b', 'c']],
      ['sort([10, 9, 1])', [1, 9, 10]],
      ['createVector(3, 4).mag()', 5],
      ['p5.Vector.add(createVector(1, 2), createVector(3, 4)).array()', [4, 6, 0]],
      ['createVector(1, 0).rotate(HALF_PI).y', 1],
      ['bezierPoint(0, 0, 1, 1, 0.5)', 0.5],
      ['[typeof hour, width, height, frameCount, t, millis()]', ['function', 1950, 2400, 0, 0, 0]],
      ['sq(4) + fract(1.25) + degrees(PI)', 196.25],
    ];
    expect(await inSketch(renderer, `[${rows.map(([expression]) => expression).join()}]`)).toEqual(
      rows.map(([, value]) => value),
    );
  });

  it('lays text out in lines and boxes', async () => {
    expect(
      await inSketch(
        renderer,
        '[textWidth("a\\nbb") === textWidth("bb"), textLeading(), textAscent() > 50, get(2, 90)]',
        'textSize(80); fill(0); text("██", 0, 100)',
      ),
    ).toEqual([true, 100, true, expect.anything()]);
  });

  it('knows input that never comes', async () => {
    expect(
      await inSketch(
        renderer,
        '[keyIsDown(LEFT_ARROW), keyIsDown("a"), keyIsPressed, key, keyCode, mouseIsPressed, mouseX, winMouseY, movedX, touches, rotationX]',
      ),
    ).toEqual([false, false, false, '', 0, false, 0, 0, 0, [], 0]);
    const handlers = 'createCanvas(1950, 2400).parent("main").mousePressed(() => {}).touchStarted(() => {}).width';
    expect(await inSketch(renderer, handlers)).toBe(1950);
  });

  it('keeps stored items of a sketch only for the run', async () => {
    const stored = 'storeItem("best", { score: 3 }); storeItem("other", 1); removeItem("other")';
    expect(await inSketch(renderer, '[getItem("best"), getItem("other")]', stored)).toEqual([{ score: 3 }, null]);
    expect(await inSketch(renderer, 'getItem("best")')).toBeNull();
  });

  it('draws splines through their points, closed ones as rings', async () => {
    const square = 'for (const [x, y] of [[100, 100], [300, 100], [300, 300], [100, 300]]) splineVertex(x, y);';
    const at = '[get(200, 80)[0], get(200, 200)[0], get(105, 105)[0], get(80, 200)[0]]';
    const shape = (end: string): string => `background(255); noStroke(); fill(0); beginShape(); ${square} ${end}`;
    expect(await inSketch(renderer, at, shape('endShape(CLOSE)'))).toEqual([0, 0, 0, 0]);
    expect(await inSketch(renderer, at, shape('endShape()'))).toEqual([255, 0, 0, 255]);
    expect(await inSketch(renderer, at, `splineProperty('ends', EXCLUDE); ${shape('endShape()')}`)).toEqual([
      255, 255, 255, 255,
    ]);
    expect(await inSketch(renderer, at, `splineProperties({ tightness: 1 }); ${shape('endShape(CLOSE)')}`)).toEqual([
      255, 0, 0, 255,
    ]);
    expect(
      await inSketch(renderer, '[splineProperty("tightness"), splineProperties()]', 'splineProperty("tightness", 0.5)'),
    ).toEqual([0.5, { ends: 'include', tightness: 0.5 }]);
    expect(await inSketch(renderer, '[splinePoint(0, 0, 10, 10, 0.5), splineTangent(0, 0, 10, 10, 0.5)]')).toEqual([
      await inSketch(renderer, 'curvePoint(0, 0, 10, 10, 0.5)'),
      expect.any(Number),
    ]);
  });

  it('takes Bezier vertices one by one', async () => {
    const path = (vertices: string): string =>
      `background(255); noStroke(); fill(0); beginShape(); ${vertices} endShape(CLOSE)`;
    const at = '[get(200, 160)[0], get(200, 60)[0]]';
    const cubic = 'vertex(100, 100); bezierVertex(150, 200, 250, 200, 300, 100);';
    const single = 'bezierVertex(100, 100); bezierVertex(150, 200); bezierVertex(250, 200); bezierVertex(300, 100);';
    const quadratic = 'bezierOrder(2); bezierVertex(100, 100); bezierVertex(200, 250); bezierVertex(300, 100);';
    for (const vertices of [cubic, single, quadratic])
      expect(await inSketch(renderer, at, path(vertices))).toEqual([0, 255]);
  });

  it('gives the parts of a colour as a list', async () => {
    expect(await inSketch(renderer, 'color(255, 51, 0, 102).array()')).toEqual([1, 0.2, 0, 0.4]);
  });

  it('converts values as p5.js does', async () => {
    expect(await inSketch(renderer, '[byte(127), byte(128), byte("23.4"), byte(true), byte([1, "255"])]')).toEqual([
      127,
      -128,
      23,
      1,
      [1, -1],
    ]);
    expect(await inSketch(renderer, '[unchar("A"), unchar(["P", "🎨"])]')).toEqual([65, [80, 0xd83c]]);
    expect(await inSketch(renderer, '[LABEL, FALLBACK, webglVersion === P2D]')).toEqual(['label', 'fallback', true]);
  });

  it('mixes the colours of a palette', async () => {
    const palette = '[["white", 0], [color(255, 0, 0), 0.5], ["black", 1]]';
    const at = (amount: number): string => `paletteLerp(${palette}, ${amount}).levels`;
    expect(await inSketch(renderer, `[${[-1, 0.25, 0.5, 0.75, 2].map(at).join()}]`)).toEqual([
      [255, 255, 255, 255],
      [255, 128, 128, 255],
      [255, 0, 0, 255],
      [128, 0, 0, 255],
      [0, 0, 0, 255],
    ]);
  });

  it('converts points between the sketch and the canvas', async () => {
    const moved = 'translate(100, 50); scale(2); rotate(HALF_PI)';
    const points =
      '[worldToScreen(10, 20), screenToWorld(createVector(60, 70))].map(({ x, y }) => [x, y].map((n) => Math.round(n)))';
    expect(await inSketch(renderer, points, moved)).toEqual([
      [60, 70],
      [10, 20],
    ]);
  });

  it('measures a font as well as a text', async () => {
    expect(
      await inSketch(
        renderer,
        '[fontAscent() === textAscent(), fontDescent() === textDescent(), fontWidth("ab ") === textWidth("ab ")]',
        'textSize(80)',
      ),
    ).toEqual([true, true, true]);
  });

  it('runs sketches that keep their names in an instance', async () => {
    const instances =
      'new p5((p) => { p.setup = () => { p.createCanvas(1950, 2400); p.background(0, 0, 255); }; p.draw = () => { p.fill(255, 0, 0); p.rect(p.frameCount, 0, 50, 50); p.mine = p.width; }; }); new p5((p) => { p.draw = () => { p.square(100, 100, 50); }; });';
    const shown =
      'function check() { throw new Error(JSON.stringify([get(9, 9), get(120, 120), get(60, 60), p5.Vector.fromAngle(0).x])); }';
    const { body } = await renderer.still(`${instances} ${shown} new p5((p) => { p.draw = check; });`);
    expect(body['message']).toBe('Error: [[255,0,0,255],[255,0,0,255],[0,0,255,255],1]');
  });
});
