// The browser build in a real Chromium: `node adapters/browser.mjs COMMAND FILE...` with a command of
// ../README.md. There is nothing to serve, no bridge and no process that draws.
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import puppeteer from 'puppeteer';
import { ensureBrowser } from '../../scripts/browser.mjs';

const [command, ...files] = process.argv.slice(2);
const call = {
  ...{ verify: 'verifyCase', picture: 'pictureCase', seal: 'sealCase', log: 'logCase', timestamp: 'timestampCase' },
}[command];
if (call === undefined) process.exit(64);

const { outputFiles } = await build({
  entryPoints: [`${import.meta.dirname}/observe.mjs`],
  bundle: true,
  write: false,
  platform: 'browser',
  conditions: ['browser'],
  format: 'iife',
  globalName: 'conformance',
  target: 'es2022',
  logLevel: 'silent',
});
const { path: executablePath, reason } = await ensureBrowser({ log: (line) => process.stderr.write(`${line}\n`) });
if (executablePath === undefined) throw new Error(reason);
const browser = await puppeteer.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'], timeout: 150_000 });
try {
  const page = await browser.newPage();
  // Answered here, never sent: WebCrypto needs a secure context such as an https page.
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    void request.respond({ contentType: 'text/html', body: '<!doctype html><title>conformance</title>' });
  });
  await page.goto('https://conformance.invalid/');
  await page.addScriptTag({ content: outputFiles[0].text });
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    const script = `Promise.resolve(conformance.${call}(JSON.parse(${JSON.stringify(text)}))).then(JSON.stringify)`;
    process.stdout.write(`${await page.evaluate(script)}\n`);
  }
} finally {
  await browser.close();
}
