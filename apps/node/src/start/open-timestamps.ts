import { readFileSync } from 'node:fs';

import type { TimestampVerifier } from '@cer/cer-core/verify';
import type { Logger } from '@cer/http-service/process';
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
  /** The pinned roots as PEM; null without TSA_ROOTS_FILE. */
  readonly rootsPem: string | null;
  /** @returns the worker that acquires timestamps, or null without TSA_URLS */
  readonly start: (deps: { readonly store: Store; readonly now: () => Date; readonly logger: Logger }) => Worker | null;
}

/** @throws StartupError for a TSA_ROOTS_FILE that cannot be read or has no usable root */
export function openTimestamps({ tsa }: Pick<NodeConfig, 'tsa'>): Timestamps {
  if (tsa === null) return { verifier: null, rootsPem: null, start: () => null };
  const { urls, timeoutMs, mode } = tsa;
  const { roots, rootsPem } = rootsOf(tsa.rootsFile);
  return {
    rootsPem,
    verifier: createTimestampVerifier(roots),
    start: (deps) => {
      if (urls.length === 0) return null;
      const authorities = urls.map((url) => createAuthority({ url, roots, timeoutMs, logger: deps.logger }));
      return startTimestamping({ ...deps, authorities, mode });
    },
  };
}

function rootsOf(file: string): { readonly roots: TsaRoots; readonly rootsPem: string } {
  try {
    const rootsPem = readFileSync(file, 'utf8');
    return { roots: parseTsaRoots(rootsPem), rootsPem };
  } catch (cause) {
    const reason = cause instanceof TimestampError ? cause.message : 'cannot be read';
    throw new StartupError(`TSA_ROOTS_FILE: ${file}: ${reason}`, { cause });
  }
}
