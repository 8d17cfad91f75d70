import { expect, it } from '@jest/globals';
import { rendererVersionOf, type RenderingParts } from './renderer-version.js';

const PARTS: RenderingParts = {
  browserVersion: '156.0.1.2',
  binary: { path: '/chromium', source: 'system', digest: 'a' },
  bundle: { digest: 'b', sdkVersion: '1.8.4' },
  fontsDigest: 'c',
  fingerprint: 'd',
};

it('names another version for a browser that draws differently', () => {
  const version = rendererVersionOf(PARTS);
  expect(version).toMatch(/^chromium-156\.0\.1\.2\+codemode-1\.8\.4\+[0-9a-f]{16}$/);
  expect(rendererVersionOf({ ...PARTS })).toBe(version);
  expect(rendererVersionOf({ ...PARTS, fingerprint: 'e' })).not.toBe(version);
  expect(rendererVersionOf({ ...PARTS, binary: { ...PARTS.binary, digest: 'e' } })).not.toBe(version);
});
