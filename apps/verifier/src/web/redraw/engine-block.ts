import type { EngineIdentity } from '@cer/sketch-engine/engine-identity';

/** The engine as the build writes it into the page. */
export interface EngineBlock {
  readonly identity: EngineIdentity;
  /** The worker's scripts, in order. */
  readonly scripts: readonly string[];
  /** The packed engine, base64. */
  readonly packed: string;
}

/** @throws Error where the page has none */
export function engineBlock(): EngineBlock {
  const block = document.getElementById('engine');
  if (block === null) throw new Error('the page has no engine');
  // The build wrote it, for this very script.
  return JSON.parse(block.textContent) as EngineBlock;
}

/** @returns a new buffer for each call, because a worker takes it over */
export function packedEngine({ packed }: EngineBlock): ArrayBuffer {
  const binary = atob(packed);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}
