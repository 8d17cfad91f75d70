import type { EngineIdentity, NamedEngine } from '@cer/sketch-engine';
import { assertInstalledParts, EngineNotFound, findEngine } from '@cer/sketch-engine/files';
import { renderFailure } from '../errors.js';
import type { PageBundle } from './page-bundle.js';
import type { PagePool, PagePoolOptions } from './page-pool.js';

/** An engine that draws: its pages, and its name in certificates. */
export interface DrawingEngine {
  readonly pool: PagePool;
  readonly identity: EngineIdentity | { readonly name: 'chromium-native'; readonly boundTo: 'machine' };
}

export interface OlderEnginesDeps {
  readonly bundle: Pick<PageBundle, 'portable' | 'portablePage'>;
  readonly makePool: (options: Pick<PagePoolOptions, 'scripts' | 'ahead'>) => PagePool;
  /** Has `<64 hex digits>.wasm` for each module of Skia; undefined: no folder. */
  readonly folder: string | undefined;
}

/** Maximum older engines kept in memory; each takes about 12 MB. */
const MAX_ENGINES = 2;

/** Portable engines with older modules of Skia, opened when a request names them. */
export class OlderEngines {
  readonly #deps: OlderEnginesDeps;
  readonly #byHash = new Map<string, Promise<DrawingEngine>>();

  constructor(deps: OlderEnginesDeps) {
    this.#deps = deps;
  }

  /** @throws ServiceError CANNOT_BE_JUDGED with the part that is missing */
  async find(named: NamedEngine): Promise<DrawingEngine> {
    try {
      assertInstalledParts(named, this.#deps.bundle.portable);
      const key = String(named.wasmHash);
      const found = this.#byHash.get(key) ?? this.#open(named);
      // The one that was used last is kept longest.
      this.#byHash.delete(key);
      this.#byHash.set(key, found);
      return await found;
    } catch (error) {
      this.#byHash.delete(String(named.wasmHash));
      if (error instanceof EngineNotFound) throw renderFailure('CANNOT_BE_JUDGED', error.message);
      throw error;
    } finally {
      for (const oldest of this.#byHash.keys()) if (this.#byHash.size > MAX_ENGINES) this.#byHash.delete(oldest);
    }
  }

  async #open(named: NamedEngine): Promise<DrawingEngine> {
    const { bundle, makePool, folder } = this.#deps;
    const { identity, bytes } = await findEngine(named, folder);
    return { pool: makePool({ scripts: bundle.portablePage(bytes), ahead: 0 }), identity };
  }
}
