#!/usr/bin/env node
// npm run gallery -- [--folder DIR] [--sketch NAME]
// Draws the gallery by both engines and writes a page that shows each sketch twice, with the difference made brighter.
//   npm run gallery -- --sketch pulse --sketch orbit
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkNames, readOptions } from './setup/options.mjs';
import { ensureBrowser } from './browser.mjs';
import { pngDifference } from './gallery/png-difference.mjs';
import { openBrowserMachine } from './test/machines/browser-machine.mjs';
import { GALLERY } from './test/machines/gallery.mjs';

const { values } = readOptions(import.meta.filename, {
  options: {
    folder: { type: 'string', default: join(import.meta.dirname, '..', '.data', 'gallery') },
    sketch: { type: 'string', multiple: true },
  },
});
const names = GALLERY.map(({ name }) => name);
checkNames(values.sketch ?? [], names, 'sketch');
const ENGINES = ['chromium-native', 'portable'];
const percent = (share) => `${(share * 100).toFixed(2)} %`;

const browser = await ensureBrowser();
if (browser.path === undefined) process.exit(1);
mkdirSync(values.folder, { recursive: true });
const machine = await openBrowserMachine({ path: browser.path, remove: () => undefined });
const sections = [];
try {
  for (const sketch of GALLERY.filter(({ name }) => values.sketch?.includes(name) ?? true)) {
    const pictures = [];
    for (const engine of ENGINES) {
      const { png } = await machine.render(engine, sketch);
      writeFileSync(join(values.folder, `${sketch.name}.${engine}.png`), png);
      pictures.push(png);
    }
    const { different, visible, greatest } = pngDifference(...pictures);
    const said = `${percent(different)} of the pixels differ, ${percent(visible)} by more than 8 steps, at most ${greatest}`;
    console.log(`${sketch.name.padEnd(22)}${said}`);
    sections.push(section(sketch.name, said));
  }
} finally {
  await machine.close();
}
const page = join(values.folder, 'index.html');
writeFileSync(page, documentOf(machine.version, sections));
console.log(page);

function section(name, said) {
  const images = ENGINES.map((engine) => `<img alt="${engine}" src="${name}.${engine}.png">`);
  return `<section><h2>${name}</h2><p>${said}</p>
<div class="row">${images.join('')}<span class="difference"><span>${images.join('')}</span></span></div></section>`;
}

function documentOf(version, sections) {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Gallery by both engines</title><style>
body { margin: 1rem; font: 14px/1.4 sans-serif; background: #777; color: #fff }
h2, p { margin: 0 }
section { margin-bottom: 2rem }
.row { display: flex; gap: 8px }
.row > * { width: 32%; background: repeating-conic-gradient(#ccc 0 25%, #fff 0 50%) 0 0 / 24px 24px }
.difference { position: relative; background: #000; filter: brightness(8) }
.difference > span { display: block; isolation: isolate }
.difference img { width: 100%; display: block; background: #000 }
.difference img + img { position: absolute; inset: 0; mix-blend-mode: difference }
</style></head><body><h1>Gallery by both engines</h1>
<p>${version}. From the left: chromium-native, portable, the difference eight times as bright. Of loops the first frame.</p>
${sections.join('\n')}
</body></html>
`;
}
