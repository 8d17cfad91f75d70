import { readFileSync } from 'node:fs';

import type { TimestampVerifier } from '@cer/cer-core/verify';
import type { Logger } from '@cer/http-service';
import { createTimestampVerifier, parseTsaRoots, TimestampError, type TsaRoots } from '@cer/timestamps';
import type { Worker } from '../worker/worker.js';
import type { NodeConfig } from './config.js';
import { StartupError } from '../errors/startup-error.js';
import type { Store } from '../store/index.js';
import { createAuthority } from '../timestamps/authority.js';
import { startTimestamping } from '../timestamps/timestamping.js';

/** The configured verification and acquisition of external timestamps. */
export interface Timestamps {
  /** Null without TSA_ROOTS_FILE: then tokens are ignored. */
  readonly verifier: TimestampVerifier | null;
  /** @returns the worker that acquires timestamps, or null without TSA_URLS */
  readonly start: (deps: { readonly store: Store; readonly now: () => Date; readonly logger: Logger }) => Worker | null;
}

/** @throws StartupError for a TSA_ROOTS_FILE that cannot be read or has no usable root */
export function openTimestamps({ tsa }: Pick<NodeConfig, 'tsa'>): Timestamps {
  if (tsa === null) return { verifier: null, start: () => null };
  const { urls, timeoutMs, mode } = tsa;
  const roots = rootsOf(tsa.rootsFile);
  return {
    verifier: createTimestampVerifier(roots),
    start: (deps) => {
      if (urls.length === 0) return null;
      const authorities = urls.map((url) => createAuthority({ url, roots, timeoutMs, logger: deps.logger }));
      return startTimestamping({ ...deps, authorities, mode });
    },
  };
}

function rootsOf(file: string): TsaRoots {
  try {
    return parseTsaRoots(readFileSync(file, 'utf8'));
  } catch (cause) {
    const reason = cause instanceof TimestampError ? cause.message : 'cannot be read';
    throw new StartupError(`TSA_ROOTS_FILE: ${file}: ${reason}`, { cause });
  }
}
