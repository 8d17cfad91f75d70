import type { NodeKeySet, Signer } from '@cer/keys';
import type { FailureCode } from '../errors.js';
import { chooseKey } from '../verify/key-choice.js';
import { platformVerifier } from '../verify/signature.js';
import { canonicalManifest, type AuditPackageManifest } from './manifest.js';

const utf8 = new TextEncoder();

/** The two entries that close a package: the manifest's text, and the 64 bytes of its signature. */
export interface SignedManifest {
  readonly text: string;
  readonly signature: Uint8Array;
}

/** Signs a manifest. @see docs/spec.md, "Audit package" */
export async function signManifest(manifest: AuditPackageManifest, signer: Signer): Promise<SignedManifest> {
  const text = canonicalManifest(manifest);
  return { text, signature: await signer.sign(utf8.encode(text)) };
}

/** Why a manifest's signature is rejected. */
export interface ManifestRefusal {
  readonly code: FailureCode;
  readonly detail: string;
}

/**
 * Checks that the node signed a manifest with a key that was valid at `signedAt`.
 * @param bytes of `manifest.json` as the package holds them
 * @param keySet the caller's own, never one from the package; null: the caller has none
 * @returns null when the signature holds
 */
export async function manifestRefusal(
  manifest: AuditPackageManifest,
  bytes: Uint8Array,
  signature: Uint8Array,
  { keySet, nodeId }: { readonly keySet: NodeKeySet | null; readonly nodeId: string | null },
): Promise<ManifestRefusal | null> {
  const choice = chooseKey(keySet, manifest.kid, manifest.signedAt, []);
  if (choice.key === null) return { code: choice.code, detail: choice.detail };
  if ([keySet?.nodeId, nodeId ?? undefined].some((pinned) => pinned !== undefined && pinned !== manifest.nodeId)) {
    return { code: 'ATTESTATION_INVALID_SIGNATURE', detail: 'names another node than the one whose keys were given' };
  }
  return (await platformVerifier(choice.key, bytes, signature))
    ? null
    : { code: 'ATTESTATION_INVALID_SIGNATURE', detail: 'the signature is not valid for this manifest under this key' };
}
