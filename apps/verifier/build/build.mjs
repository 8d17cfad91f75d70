// Makes dist/web: the site's files, named by their content, offline.html and redraw.html, each a
// single self-contained file.
// The same sources give the same bytes on every machine; the digest is printed for the release notes.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readInstalledEngine, readScript } from '@cer/sketch-engine/files';
import { build } from 'vite';

const root = join(import.meta.dirname, '..');
/** Output folder; the first argument for a build to compare. */
const out = process.argv[2] ?? join(root, 'dist', 'web');
const source = (...path) => join(root, 'src', ...path);
/** Maximum size of the first visit of a certificate's page, with script, worker and style, in bytes of gzip. */
const FIRST_LOAD_LIMIT = 100 * 1024;

// Builds in tests and development have the released bytes: other modes would name source files.
process.env.NODE_ENV = 'production';

const common = {
  mode: 'production',
  root,
  configFile: false,
  logLevel: 'warn',
  envDir: false,
  publicDir: false,
  // As in the sources: without this the bundler would look for React.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
};

/** One script as text, with the style it imports. */
async function bundle(entry, format, define = {}) {
  const result = await build({
    ...common,
    define,
    build: {
      write: false,
      target: 'es2022',
      minify: true,
      modulePreload: false,
      cssCodeSplit: false,
      rollupOptions: {
        input: source('web', entry),
        // One entry is imported by another file, by its name.
        preserveEntrySignatures: 'strict',
        output: { format, entryFileNames: 'entry.js', assetFileNames: '[name][extname]', codeSplitting: false },
      },
    },
  });
  const { output } = Array.isArray(result) ? result[0] : result;
  const script = output.find((file) => file.type === 'chunk' && file.isEntry);
  const others = output.filter((file) => file.type === 'chunk' && file !== script);
  if (!script || others.length > 0) throw new Error(`${entry}: must become one script`);
  const style = output.find((file) => file.type === 'asset' && file.fileName.endsWith('.css'));
  return { script: script.code, style: style ? String(style.source) : '' };
}

const digest = (text, encoding) => createHash('sha256').update(text).digest(encoding);
const named = (name, extension, text) => `${name}-${digest(text, 'hex').slice(0, 12)}.${extension}`;

/**
 * A page that needs no other file. Its policy names the only script and style by hash and allows no connection.
 * @param {{title: string, script: string, style: string, scripts?: string[], data?: string}} parts `scripts`: further
 *   sources of scripts; `data`: a data block before the script
 */
function selfContainedPage({ title, script, style, scripts = [], data = '' }) {
  if (/<\/script|<!--/i.test(script)) throw new Error('the script would end its own element');
  const policy = [
    "default-src 'none'",
    ['script-src', `'sha256-${digest(script, 'base64')}'`, ...scripts].join(' '),
    `style-src 'sha256-${digest(style, 'base64')}'`,
    'worker-src blob:',
    'img-src data:',
    "connect-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${title}</title>`,
    '<link rel="icon" href="data:,">',
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    `<main id="main"><h1>${title}</h1><p>This page needs JavaScript.</p></main>`,
    `${data}<script id="verifier">${script}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** The engine of sketches, as src/web/redraw/engine-block.ts reads it. */
async function engineData() {
  const { identity, bytes } = await readInstalledEngine();
  const scripts = await Promise.all(['pin-language', 'redraw-world', 'worker-host'].map((name) => readScript(name)));
  const json = JSON.stringify({ identity, scripts, packed: bytes.toString('base64') }).replaceAll('<', '\\u003c');
  return `<script type="application/json" id="engine">${json}</script>`;
}

// A separate file: the worker fetches it only for records with a timestamp.
const timestamps = await bundle('timestamp-code-entry.ts', 'es');
const timestampsName = named('timestamp-code', 'js', timestamps.script);
const [site, worker, offline, redraw, data] = await Promise.all([
  bundle('site.tsx', 'es'),
  bundle('check-worker-entry.ts', 'es', { TIMESTAMP_CODE_FILE: JSON.stringify(`./${timestampsName}`) }),
  bundle('offline.tsx', 'iife'),
  bundle('redraw.tsx', 'iife'),
  engineData(),
]);
const icon = readFileSync(source('style', 'icon.svg'), 'utf8');
const offlineHtml = selfContainedPage({ title: 'Offline verifier', script: offline.script, style: site.style });
// Scripts of the worker and of the sketch come from the page itself; Skia is a WebAssembly module.
const redrawHtml = selfContainedPage({
  ...{ title: 'Draw again', script: redraw.script, style: site.style, data },
  scripts: ['blob:', "'wasm-unsafe-eval'"],
});

rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, 'assets'), { recursive: true });
const firstLoadFiles = {
  [named('site', 'js', site.script)]: site.script,
  [named('check-worker', 'js', worker.script)]: worker.script,
  [named('style', 'css', site.style)]: site.style,
  [named('icon', 'svg', icon)]: icon,
};
const files = { ...firstLoadFiles, [timestampsName]: timestamps.script };
for (const [name, text] of Object.entries(files)) writeFileSync(join(out, 'assets', name), text);
// Where turbo restores a build from its cache, the assets of the build before stay beside it.
writeFileSync(join(out, 'assets.json'), JSON.stringify(Object.keys(files)));
writeFileSync(join(out, 'offline.html'), offlineHtml);
writeFileSync(join(out, 'redraw.html'), redrawHtml);

const kib = (bytes) => `${(bytes / 1024).toFixed(1).padStart(7)} KiB`;
const sizeOf = (text) => gzipSync(text, { level: 9 }).length;
let firstLoad = 0;
for (const [name, text] of Object.entries(files)) {
  const isLater = name === timestampsName;
  if (!isLater) firstLoad += sizeOf(text);
  console.log(
    `${name.padEnd(32)} ${kib(Buffer.byteLength(text))}  gzip ${kib(sizeOf(text))}${isLater ? '  (only where a record has a timestamp)' : ''}`,
  );
}
console.log(`${'first load'.padEnd(32)} ${' '.repeat(11)}  gzip ${kib(firstLoad)}`);
console.log(`${'offline.html'.padEnd(32)} ${kib(Buffer.byteLength(offlineHtml))}  gzip ${kib(sizeOf(offlineHtml))}`);
console.log(`offline.html SHA-256 ${digest(offlineHtml, 'hex')}`);
console.log(`${'redraw.html'.padEnd(32)} ${kib(Buffer.byteLength(redrawHtml))}`);
console.log(`redraw.html SHA-256 ${digest(redrawHtml, 'hex')}`);
if (firstLoad > FIRST_LOAD_LIMIT) throw new Error('the first load is over 100 KiB of gzip');
