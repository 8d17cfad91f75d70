import { Buffer } from 'node:buffer';
import { encodeMembers, type EncodedMembers } from '../browser/cdp-messages.js';
import { CANVAS_HEIGHT, CANVAS_WIDTH } from '@cer/sketch-engine/render-rules';

/** Where a page finds the portable engine. */
export const ENGINE_URL = 'https://sketch.invalid/engine';

/** `sandbox` without `allow-same-origin`: an opaque origin, no popups, no storage, no forms, no fresh realm to escape into. */
const CONTENT_SECURITY_POLICY = [
  'sandbox allow-scripts',
  "default-src 'none'",
  // The prelude compiles its modules; strings are never evaluated.
  "script-src 'unsafe-inline' 'wasm-unsafe-eval'",
  "style-src 'unsafe-inline'",
  // For the reader's own worker; before a sketch runs, the reader adds a policy that allows none.
  'worker-src data:',
  // For the portable engine; before a sketch runs, the reader adds a policy that allows none.
  `connect-src ${ENGINE_URL}`,
  "frame-src 'none'",
  "form-action 'none'",
  "base-uri 'none'",
  "webrtc 'block'",
].join('; ');

/**
 * The document with its first script, in the form of `Fetch.fulfillRequest`.
 * @param fetches an address that the script fetches; the page asks for it before it compiles the script
 */
export function sketchDocument(mainWorld: string, fetches?: string): EncodedMembers {
  const preload = fetches === undefined ? '' : `<link rel="preload" as="fetch" crossorigin href="${fetches}">`;
  const script = mainWorld.replaceAll('</script', '<\\/script');
  const html =
    `<!doctype html><html><head><meta charset="utf-8"><title>sketch</title>${preload}</head><body>` +
    `<canvas width="${CANVAS_WIDTH}" height="${CANVAS_HEIGHT}" style="display:none"></canvas><script>${script}</script></body></html>`;
  return encodeMembers({
    responseCode: 200,
    responseHeaders: [
      { name: 'content-type', value: 'text/html; charset=utf-8' },
      { name: 'content-security-policy', value: CONTENT_SECURITY_POLICY },
    ],
    body: Buffer.from(html),
  });
}

/**
 * The portable engine's files, in the form of `Fetch.fulfillRequest`. The page's origin is opaque, so every origin may read
 * them.
 */
export function engineAnswer(engine: Buffer): EncodedMembers {
  return encodeMembers({
    responseCode: 200,
    responseHeaders: [
      { name: 'content-type', value: 'application/octet-stream' },
      { name: 'access-control-allow-origin', value: '*' },
    ],
    body: engine,
  });
}
