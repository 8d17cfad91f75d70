import type { JsonObject } from '@cer/canonical-json';
import {
  codemodeRender,
  RENDER_BUNDLE_TYPE,
  RENDER_HASH_SCHEME,
  RENDER_SNAPSHOT_TYPE,
} from '../bundle-types/codemode-render.js';
import { attestBundle, type SealedBundle } from '../attest/attest.js';
import { sha256 } from '../hash.js';
import { joined, pngChunk } from '../picture/png-chunks.js';
import { PROTOCOLS } from '../protocols/protocols.js';
import { sealBundle } from '../seal/seal-execution.js';
import { TEST_ATTESTOR, TEST_TIME } from './fixtures.js';

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** A PNG of one grey pixel, with further chunks before IEND. @param grey 0 to 255 */
export function greyPng(grey: number, ...chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  // One stored block of deflate with the row's filter and its pixel, and Adler-32 of both.
  const data = [0x78, 1, 1, 2, 0, 0xfd, 0xff, 0, grey, 0, 2 + grey, 0, 1 + grey];
  return joined([
    Uint8Array.from(SIGNATURE),
    pngChunk('IHDR', Uint8Array.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])),
    pngChunk('IDAT', Uint8Array.from(data)),
    ...chunks,
    pngChunk('IEND', new Uint8Array(0)),
  ]);
}

/** A still, sealed and unsigned; override members of its snapshot to vary it. */
export function sealedRender(members: JsonObject = {}, protocolVersion = '1.2.0'): SealedBundle {
  const protocol = PROTOCOLS.get(protocolVersion);
  if (protocol === undefined) throw new Error(`protocol ${protocolVersion} is missing`);
  const snapshot: JsonObject = {
    type: RENDER_SNAPSHOT_TYPE,
    protocolVersion,
    executionId: 'render-1',
    timestamp: TEST_TIME,
    codeHash: sha256('code'),
    seed: 'seed',
    vars: [],
    execution: { mode: 'static' },
    canvas: { width: 1950, height: 2400 },
    hashScheme: RENDER_HASH_SCHEME,
    outputHash: sha256('pixels'),
    imageHash: sha256('png'),
    sdkVersion: '1',
    rendererVersion: '1',
    ...members,
  };
  const bundle = { bundleType: RENDER_BUNDLE_TYPE, version: codemodeRender.version, createdAt: TEST_TIME, snapshot };
  return sealBundle(bundle, codemodeRender, protocol);
}

/** The certificate of a render whose picture is `png`, signed by the test node. */
export async function certifiedPicture(png: Uint8Array): Promise<JsonObject> {
  const canvas = { width: 1, height: 1 };
  const sealed = sealedRender({ canvas, imageHash: sha256(png) }, '1.3.0');
  const facts = { attestationId: '11111111-2222-4333-8444-555555555555', attestedAt: TEST_TIME };
  return { ...sealed.bundle, meta: { ...(await attestBundle(sealed, TEST_ATTESTOR, facts)) } };
}
