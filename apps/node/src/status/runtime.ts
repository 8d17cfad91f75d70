import { readFileSync } from 'node:fs';
import { jcsV1, type JsonObject } from '@cer/canonical-json';
import { PROTOCOLS, sha256, type Sha256Hash } from '@cer/cer-core';

/** The running build; every attestation contains its hash. @see docs/spec.md, "Attestation" */
export interface Runtime {
  readonly facts: JsonObject;
  readonly version: string;
  readonly hash: Sha256Hash;
}

export function describeRuntime(nodeId: string): Runtime {
  const version = packageVersion();
  const facts = { node: nodeId, version, protocolVersions: [...PROTOCOLS.keys()], runtime: `node ${process.version}` };
  return { facts, version, hash: sha256(jcsV1.canonicalize(facts)) };
}

function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : null;
  if (typeof version !== 'string') throw new Error('package.json has no version');
  return version;
}
