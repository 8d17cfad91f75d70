import { expect, it } from '@jest/globals';
import { drawAgain } from './draw-again.js';

const sketch = (lines: string): string => `function setup() {
  const made = createGraphics(400, 300);
  made.background(0, 200, 0);
  background('red');
  ${lines}
}`;

// Two ways to say the same.
it.each([
  [
    'shapes still erase after an image, which does not',
    'erase(); image(made, 100, 100); rect(800, 800, 400, 400);',
    'image(made, 100, 100); erase(); rect(800, 800, 400, 400);',
  ],
  [
    'a transform takes the text of a number',
    "translate('20', '30'); scale('2'); rect(0, 0, 400, 300);",
    'rect(20, 30, 800, 600);',
  ],
  ['spaces in the text of a colour', "background('hsb( 160 , 100% , 50% )')", "background('hsb(160, 100%, 50%)')"],
  [
    'pictures are instances of their classes',
    'if (get(0, 0, 9, 9) instanceof p5.Image && made instanceof p5.Graphics) rect(0, 0, 400, 300);',
    'if (!(made instanceof p5.Image)) rect(0, 0, 400, 300);',
  ],
  [
    'a class makes the picture that its function makes',
    'const pg = new p5.Graphics(90, 80); pg.background(0); image(pg, 0, 0); image(new p5.Image(9, 9), 0, 0);',
    'const pg = createGraphics(90, 80); pg.background(0); image(pg, 0, 0);',
  ],
  [
    'each shape of a list has the colours of its last vertex',
    "fill('red'); beginShape(TRIANGLES); vertex(9, 9); vertex(99, 9); fill('blue'); vertex(9, 99); fill('lime'); vertex(200, 9); fill('gold'); vertex(300, 9); vertex(300, 99); endShape();",
    "fill('blue'); triangle(9, 9, 99, 9, 9, 99); fill('gold'); triangle(200, 9, 300, 9, 300, 99);",
  ],
  [
    'each point and line of a list has its own stroke',
    "strokeWeight(20); beginShape(POINTS); stroke('blue'); vertex(50, 50); stroke('gold'); vertex(150, 50); endShape(); beginShape(LINES); vertex(50, 150); stroke('lime'); vertex(150, 150); endShape(); point(250, 50);",
    "strokeWeight(20); stroke('blue'); point(50, 50); stroke('gold'); point(150, 50); stroke('lime'); line(50, 150, 150, 150); point(250, 50);",
  ],
  [
    'lines of a text without a height are centred about its place',
    "textSize(90); textAlign(LEFT, CENTER); text('one\\ntwo\\nthree', 100, 900, 800);",
    "textSize(90); textAlign(LEFT, CENTER); text('one\\ntwo\\nthree', 100, 900);",
  ],
  ['a translation by one number does nothing', 'translate(20); rect(0, 0, 400, 300);', 'rect(0, 0, 400, 300);'],
  [
    'a closed curve goes on to its first vertex, and by a line to its second one',
    'beginShape(); curveVertex(100, 100); curveVertex(700, 200); curveVertex(600, 900); curveVertex(90, 500); endShape(CLOSE);',
    'beginShape(); [[100, 100], [700, 200], [600, 900], [90, 500], [100, 100], [100, 100]].forEach(([x, y]) => curveVertex(x, y)); endShape();',
  ],
  [
    'a vertex between vertices of a curve is one of them',
    'beginShape(); vertex(100, 100); curveVertex(700, 200); curveVertex(600, 900); vertex(90, 500); curveVertex(300, 300); endShape();',
    'beginShape(); curveVertex(100, 100); curveVertex(700, 200); curveVertex(600, 900); curveVertex(90, 500); curveVertex(300, 300); endShape();',
  ],
  [
    'a strip of triangles draws no edge twice',
    'stroke(0, 90); strokeWeight(40); noFill(); beginShape(TRIANGLE_STRIP); vertex(200, 900); vertex(500, 200); vertex(800, 900); vertex(1100, 200); endShape();',
    'stroke(0, 90); strokeWeight(40); noFill(); [[500, 200, 200, 900, 800, 900], [800, 900, 500, 200, 1100, 200], [800, 900, 1100, 200]].forEach((all) => { beginShape(); for (let i = 0; i < all.length; i += 2) vertex(all[i], all[i + 1]); endShape(); });',
  ],
  [
    'a strip of quads draws no edge twice',
    'stroke(0, 90); strokeWeight(40); noFill(); beginShape(QUAD_STRIP); vertex(200, 200); vertex(200, 900); vertex(600, 200); vertex(600, 900); endShape();',
    'stroke(0, 90); strokeWeight(40); noFill(); beginShape(); vertex(600, 200); vertex(200, 200); vertex(200, 900); vertex(600, 900); endShape(); line(600, 200, 600, 900);',
  ],
  [
    'a quad that is not closed ends as a line at its first corner',
    'stroke(0); strokeWeight(40); beginShape(QUADS); vertex(200, 200); vertex(600, 200); vertex(600, 900); vertex(200, 900); endShape();',
    'stroke(0); strokeWeight(40); beginShape(); vertex(200, 200); vertex(600, 200); vertex(600, 900); vertex(200, 900); vertex(200, 200); endShape();',
  ],
  [
    'a quad that is closed has four joins',
    'stroke(0); strokeWeight(40); beginShape(QUADS); vertex(200, 200); vertex(600, 200); vertex(600, 900); vertex(200, 900); endShape(CLOSE);',
    'stroke(0); strokeWeight(40); quad(200, 200, 600, 200, 600, 900, 200, 900);',
  ],
  [
    'a vector is made with new too',
    'const v = new createVector(200, 300); rect(v.x, v.y, 400, 300);',
    'const v = createVector(200, 300); rect(v.x, v.y, 400, 300);',
  ],
  [
    'the triangles of a fan are one shape',
    'stroke(0, 90); strokeWeight(40); fill(255, 90); beginShape(TRIANGLE_FAN); vertex(500, 500); vertex(900, 500); vertex(500, 900); vertex(100, 500); endShape();',
    'stroke(0, 90); strokeWeight(40); fill(255, 90); drawingContext.beginPath(); [[900, 500, 500, 900], [500, 900, 100, 500]].forEach(([a, b, c, d]) => { drawingContext.moveTo(500, 500); drawingContext.lineTo(a, b); drawingContext.lineTo(c, d); drawingContext.lineTo(500, 500); }); drawingContext.fill(); drawingContext.stroke();',
  ],
  [
    'a line in a box is centred about its middle',
    "textSize(90); textAlign(CENTER, CENTER); text('one', 100, 200, 800, 600);",
    "textSize(90); textAlign(CENTER, CENTER); text('one', 500, 500);",
  ],
  [
    'lines in a box end at its bottom',
    "textSize(90); textLeading(100); textAlign(RIGHT, BOTTOM); text('one\\ntwo', 100, 200, 800, 600);",
    "textSize(90); textAlign(RIGHT, BOTTOM); text('one', 900, 700); text('two', 900, 800);",
  ],
  [
    'a box shows the lines that end in it',
    "textSize(90); textLeading(100); text('one\\ntwo\\nthree', 100, 200, 800, 199);",
    "textSize(90); textLeading(100); text('one\\ntwo', 100, 200, 800, 800);",
  ],
  [
    'a line needs room for the space after its last word',
    "textSize(90); text('one two', 100, 200, textWidth('one two') + 1);",
    "textSize(90); text('one\\ntwo', 100, 200, 800);",
  ],
  [
    'the ascent of a text is that above its baseline',
    'textSize(90); textAlign(LEFT, CENTER); rect(0, 0, textAscent(), textDescent());',
    'textSize(90); rect(0, 0, textAscent(), textDescent());',
  ],
  ['a curve needs a stroke', 'curve(0, 0, 100, 100, 900, 200, 500, 900); rect(0, 0, 9, 9);', 'rect(0, 0, 9, 9);'],
  ['nothing is no text', 'text(undefined, 300, 300, 400); rect(0, 0, 9, 9);', 'rect(0, 0, 9, 9);'],
  [
    'saturation is that of the model of the colour',
    'colorMode(HSB); const own = color(20, 75, 80); colorMode(RGB); rect(0, 0, round(saturation(own)), 75);',
    'square(0, 0, 75);',
  ],
  [
    'a vector takes what is not a number as 0',
    'const v = createVector(NaN, 20); v.add(NaN, 30).add([30]); v.lerp(createVector(NaN, 60), 0.5); rect(0, 0, v.x, v.y);',
    'rect(0, 0, 15, 55);',
  ],
  [
    'a graphics has the names of a sketch',
    'made.textAlign(made.CENTER, made.TOP); made.parent("page").fill(made.max(9, 90)); made.rectMode(made.RADIUS); made.rect(made.floor(200.5), 99, made.PI); made.save("a.png"); image(made, 0, 0);',
    'made.fill(90); made.rectMode(RADIUS); made.rect(200, 99, PI); image(made, 0, 0);',
  ],
  [
    'pictures give their canvas and its context',
    'const own = createImage(90, 90); own.drawingContext.fillRect(0, 0, 50, 50); createCanvas(width, height).drawingContext.drawImage(own.canvas, 9, 9); drawingContext.drawImage(made.elt, 200, 0);',
    'fill(0); square(9, 9, 50); image(made, 200, 0);',
  ],
  [
    'instances are drawn after the functions of the sketch',
    '} function draw() { square(500, 500, 90); } new p5((p) => { p.setup = () => p.square(0, 0, 90); p.draw = () => p.background(0, 10); }); {',
    'square(0, 0, 90); square(500, 500, 90); background(0, 10);',
  ],
  [
    'the corners of a rectangle change their places with its sides',
    'rect(800, 800, -400, -300, 10, 60, 120, 90); rect(1200, 100, -300, 400, 10, 60, 120, 90);',
    'rect(400, 500, 400, 300, 120, 90, 10, 60); rect(900, 100, 300, 400, 60, 10, 90, 120);',
  ],
  [
    'a canvas gives its context',
    "made.elt.getContext('2d').fillRect(0, 0, 90, 90); if (made.elt.getContext('webgl') === null) image(made, 0, 0); drawingContext.canvas.getContext('2d').fillRect(500, 0, 90, 90);",
    'made.noStroke(); made.square(0, 0, 90); image(made, 0, 0); square(500, 0, 90);',
  ],
  [
    'a still is drawn without the transform of setup',
    'translate(90, 90); scale(2); } function draw() { square(0, 0, 90);',
    '} function draw() { square(0, 0, 90);',
  ],
  [
    'a resized image has its pixels again',
    'const own = createImage(60, 60); own.loadPixels(); own.resize(90, 80); own.pixels.fill(255); own.updatePixels(); image(own, 0, 0);',
    'rect(0, 0, 90, 80);',
  ],
  [
    'a hole closes the shape around it',
    'stroke(0); strokeWeight(20); beginShape(); vertex(100, 900); vertex(500, 100); vertex(900, 900); beginContour(); vertex(400, 700); vertex(600, 700); vertex(500, 400); endContour(); endShape();',
    'stroke(0); strokeWeight(20); beginShape(); vertex(100, 900); vertex(500, 100); vertex(900, 900); beginContour(); vertex(400, 700); vertex(600, 700); vertex(500, 400); endContour(); endShape(CLOSE);',
  ],
  [
    'a point takes the text of a number',
    "stroke('lime'); strokeWeight(50); point('300', '200');",
    "stroke('lime'); strokeWeight(50); point(300, 200);",
  ],
  [
    'a colour without a number leaves the last one',
    "fill('blue'); fill(NaN, 10, 20); background(NaN); fill('lime'); fill(undefined, 1, 2); square(300, 300, 90);",
    "background('blue'); fill('lime'); square(300, 300, 90);",
  ],
  [
    'a gradient of the context lasts over a pair of push and pop, and over text',
    "const fade = drawingContext.createLinearGradient(0, 0, 900, 0); fade.addColorStop(0, 'gold'); fade.addColorStop(1, 'blue'); drawingContext.fillStyle = fade; push(); fill('lime'); square(0, 0, 90); pop(); text('word', 100, 90); square(300, 300, 400);",
    "fill('lime'); square(0, 0, 90); fill(0); text('word', 100, 90); const fade = drawingContext.createLinearGradient(0, 0, 900, 0); fade.addColorStop(0, 'gold'); fade.addColorStop(1, 'blue'); drawingContext.fillStyle = fade; square(300, 300, 400);",
  ],
])('%s', async (_, one, other) => {
  const drawn = await drawAgain(sketch(`noStroke(); ${one}`));
  expect(drawn.kind).toBe('picture');
  expect(drawn).toEqual(await drawAgain(sketch(`noStroke(); ${other}`)));
  expect(drawn).not.toEqual(await drawAgain(sketch('')));
});
