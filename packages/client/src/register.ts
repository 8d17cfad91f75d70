import { platform } from '#client-platform';
import { certificates } from './certificates.js';
import { warnOfRefusal } from './refusal-warning.js';

// `node --import @cer/client/register app.js`: certifies the calls that any SDK of the program makes with the global
// `fetch`. Settings are the variables of the client, and CER_APP_ID. An address that is missing or malformed, a refused key
// and an address without a node are reported as warnings, and the program runs as without.

declare global {
  /** Where the AI SDK looks for integrations. */
  var AI_SDK_TELEMETRY_INTEGRATIONS: unknown[] | undefined;
}

/** Milliseconds for which a program that ends waits for the node. */
const FLUSH_MS = 2000;

try {
  const { CER_APP_ID: appId = '' } = process.env;
  const cer = certificates({ appId: appId === '' ? 'app' : appId });
  globalThis.fetch = cer.fetch({ fetch: globalThis.fetch });
  // Providers of the AI SDK may have their own fetch.
  globalThis.AI_SDK_TELEMETRY_INTEGRATIONS = [...(globalThis.AI_SDK_TELEMETRY_INTEGRATIONS ?? []), cer.aiSdk()];
  process.once('beforeExit', () => void cer.close({ timeoutMs: FLUSH_MS }).catch(warnOfRefusal));
} catch (error) {
  platform.warn(error instanceof Error ? error.message : 'unknown fault');
}
