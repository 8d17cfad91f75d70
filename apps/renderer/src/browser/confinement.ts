import * as z from 'zod';
import type { Jail } from './jail.js';
import type { Browser } from './launch.js';
import { confinementOf, type Confinement } from './processes.js';

const Processes = z.array(z.object({ type: z.string(), id: z.number() }));
const SECCOMP_FILTER = 2;
const NO_CAPABILITIES = /^0+$/;

/**
 * The faults of a browser's confinement: it must not be root, must hold no capability, and must not
 * share the service's network; its renderers must be filtered by seccomp.
 */
export async function confinementFault(browser: Browser, jail: Jail): Promise<string | undefined> {
  if (jail.kind === 'none') return undefined;
  const self = confinementOf('self');
  const fault = browserFault(confinementOf(browser.pid), self);
  if (fault !== undefined) return fault;
  const { cdp } = browser;
  const { browserContextId } = await cdp.call('Target.createBrowserContext', { disposeOnDetach: true });
  try {
    const { targetId } = await cdp.call('Target.createTarget', { url: 'about:blank', browserContextId });
    const { sessionId } = await cdp.call('Target.attachToTarget', { targetId, flatten: true });
    // A page that has computed something has a process.
    await cdp.call('Runtime.evaluate', { expression: '0' }, { sessionId: String(sessionId) });
    const { processInfo } = await cdp.call('SystemInfo.getProcessInfo');
    const renderers = Processes.parse(processInfo).filter(({ type }) => type === 'renderer');
    if (renderers.length === 0) return 'no renderer process was found to be checked';
    return renderers.map(({ id }) => rendererFault(confinementOf(id), self)).find((found) => found !== undefined);
  } finally {
    await cdp.call('Target.disposeBrowserContext', { browserContextId });
  }
}

/** The fault of the browser process, if any. */
export function browserFault(browser: Confinement, self: Confinement): string | undefined {
  if (browser.uid === 0) return 'the browser runs as root';
  if (browser.networkNamespace === self.networkNamespace) return 'the browser shares the network of the service';
  return undefined;
}

/** The fault of a process that runs sketches, if any. */
export function rendererFault(renderer: Confinement, self: Confinement): string | undefined {
  if (renderer.seccomp !== SECCOMP_FILTER) return 'a renderer is not filtered by seccomp';
  if (!NO_CAPABILITIES.test(renderer.effectiveCapabilities)) return 'a renderer holds capabilities';
  if (renderer.uid === 0) return 'a renderer runs as root';
  if (renderer.networkNamespace === self.networkNamespace) return 'a renderer shares the network of the service';
  return undefined;
}
