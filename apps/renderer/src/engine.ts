import type { Logger } from '@cer/http-service/process';
import type { NamedEngine } from '@cer/sketch-engine';
import { createBrowserHost, type BrowserHost } from './browser/browser-host.js';
import { chooseJail } from './browser/jail.js';
import { resolveBrowser } from './browser/resolve.js';
import { fingerprintOf, selfTest } from './sandbox/self-test.js';
import { makeStage } from './browser/stage.js';
import type { RendererConfig } from './config.js';
import { rendererVersionOf } from './renderer-version.js';
import { bundlePage, type EngineName } from './sandbox/page-bundle.js';
import { OlderEngines, type DrawingEngine } from './sandbox/older-engines.js';
import { createPagePool, type PagePool, type PagePoolOptions } from './sandbox/page-pool.js';

/** A browser that passed the self-test, and its pages. */
export interface Engine {
  readonly host: BrowserHost;
  readonly pools: Readonly<Record<EngineName, PagePool>>;
  /** @throws ServiceError CANNOT_BE_JUDGED for an engine that is not available here */
  find(requested: RequestedEngine): Promise<DrawingEngine>;
  readonly rendererVersion: string;
  readonly sdkVersion: string;
  close(): Promise<void>;
}

export type EngineConfig = Pick<RendererConfig, 'chromiumPath' | 'chromiumUid' | 'allowUnsandboxed' | 'pagesAhead'> &
  Partial<Pick<RendererConfig, 'enginesFolder'>>;

/** By its name, or the portable one as a certificate names it. */
export type RequestedEngine = EngineName | NamedEngine;

const MAX_BROWSER_BYTES = 1024 * 1024 * 1024;

/**
 * Starts everything that draws; fails where pixels would differ or a sketch would not be confined.
 * @throws BrowserNotFound, JailUnavailable, LaunchError, ConfinementError, SelfTestFailure
 */
export async function startEngine(config: EngineConfig, logger: Logger): Promise<Engine> {
  const binary = await resolveBrowser(config.chromiumPath);
  if (binary.source === 'packaged')
    logger.warn("the packaged browser is older than the system's would be: known faults of its renderer are open");
  const jail = chooseJail({ uid: config.chromiumUid, allowUnsandboxed: config.allowUnsandboxed });
  if (jail.kind === 'none')
    logger.error('ALLOW_UNSANDBOXED=1: sketches run without a jail and can reach the network. For development only');
  const [bundle, stage] = [await bundlePage(), makeStage(jail)];
  const host = createBrowserHost({ binary, jail, stage, logger, maxBrowserBytes: MAX_BROWSER_BYTES });
  try {
    await selfTest(host, bundle.pages.portable);
    const fingerprint = await fingerprintOf(host, bundle.pages['chromium-native']);
    const { version } = await host.current();
    const makePool = (options: Pick<PagePoolOptions, 'scripts' | 'ahead'>): PagePool =>
      createPagePool({ host, ...options });
    const pools = {
      portable: makePool({ scripts: bundle.pages.portable, ahead: config.pagesAhead }),
      'chromium-native': makePool({ scripts: bundle.pages['chromium-native'], ahead: config.pagesAhead }),
    };
    const older = new OlderEngines({ bundle, makePool, folder: config.enginesFolder });
    return {
      host,
      pools,
      async find(requested) {
        const { portable } = bundle;
        if (requested === 'chromium-native')
          return { pool: pools[requested], identity: { name: requested, boundTo: 'machine' } };
        if (requested === 'portable' || isSame(requested, portable))
          return { pool: pools.portable, identity: portable };
        return older.find(requested);
      },
      rendererVersion: rendererVersionOf({
        browserVersion: version,
        binary,
        bundle,
        fontsDigest: stage.fonts.digest,
        fingerprint,
      }),
      sdkVersion: bundle.sdkVersion,
      async close() {
        await host.close();
        await Promise.all(Object.values(pools).map((pool) => pool.close()));
        stage.remove();
      },
    };
  } catch (error) {
    await host.close();
    stage.remove();
    throw error;
  }
}

function isSame(named: NamedEngine, installed: NamedEngine): boolean {
  return (['version', 'wasmHash', 'mathHash', 'fontsHash'] as const).every((part) => named[part] === installed[part]);
}
