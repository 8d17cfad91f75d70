import { jcsV1, type JsonObject } from '@cer/canonical-json';
import { packageVersion } from '@cer/http-service/process';
import { PROTOCOLS, sha256, type Sha256Hash } from '@cer/cer-core';

/** The running build; every attestation contains its hash. @see docs/spec.md, "Attestation" */
export interface Runtime {
  readonly facts: JsonObject;
  readonly version: string;
  readonly hash: Sha256Hash;
}

export function describeRuntime(nodeId: string): Runtime {
  const version = packageVersion(new URL('../../package.json', import.meta.url));
  const facts = { node: nodeId, version, protocolVersions: [...PROTOCOLS.keys()], runtime: `node ${process.version}` };
  return { facts, version, hash: sha256(jcsV1.canonicalize(facts)) };
}
