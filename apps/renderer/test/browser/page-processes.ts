import type { Browser } from '../../src/browser/launch.js';

/** The processes of a browser's pages, as it reports them: their titles may still be those of the zygote. */
export async function pageProcesses({ cdp }: Browser): Promise<ReadonlySet<number>> {
  const { processInfo } = await cdp.call('SystemInfo.getProcessInfo');
  const processes = processInfo as readonly { readonly type: string; readonly id: number }[];
  return new Set(processes.filter(({ type }) => type === 'renderer').map(({ id }) => id));
}
