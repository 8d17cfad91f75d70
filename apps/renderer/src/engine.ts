import type { Logger } from '@cer/http-service';
import { createBrowserHost, type BrowserHost } from './browser/browser-host.js';
import { chooseJail } from './browser/jail.js';
import { resolveBrowser } from './browser/resolve.js';
import { selfTest } from './browser/self-test.js';
import { makeStage } from './browser/stage.js';
import type { RendererConfig } from './config.js';
import { rendererVersionOf } from './renderer-version.js';
import { bundlePage } from './sandbox/page-bundle.js';
import { createPagePool, type PagePool } from './sandbox/page-pool.js';

/** A browser that passed the self-test, and its pages. */
export interface Engine {
  readonly host: BrowserHost;
  readonly pool: PagePool;
  readonly rendererVersion: string;
  readonly sdkVersion: string;
  close(): Promise<void>;
}

export type EngineConfig = Pick<RendererConfig, 'chromiumPath' | 'chromiumUid' | 'allowUnsandboxed' | 'pagesAhead'>;

const MAX_BROWSER_BYTES = 1024 * 1024 * 1024;

/**
 * Brings up everything that draws, and refuses to where its pixels could not be trusted or a sketch could get out.
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
    await selfTest(host, bundle);
    const { version } = await host.current();
    const pool = createPagePool({ host, bundle, ahead: config.pagesAhead });
    return {
      host,
      pool,
      rendererVersion: rendererVersionOf({ browserVersion: version, binary, bundle, fontsDigest: stage.fonts.digest }),
      sdkVersion: bundle.sdkVersion,
      async close() {
        await host.close();
        await pool.close();
        stage.remove();
      },
    };
  } catch (error) {
    await host.close();
    stage.remove();
    throw error;
  }
}
