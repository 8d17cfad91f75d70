// Prepares tests that start the renderer: the scripts of its pages, and a browser.
import { ensureBrowser, ensurePackagedBrowser } from '../browser.mjs';
import useBuild from './use-build.mjs';

const log = (line) => process.stderr.write(`${line}\n`);

/**
 * Sets `CER_TEST_BROWSER` to its path, or `CER_TEST_NO_BROWSER` to the reason why no browser is available; suites then
 * say so instead of running.
 */
export async function prepareRenderer() {
  await useBuild();
  const found = await ensureBrowser({ log });
  process.env.CER_TEST_BROWSER = found.path ?? '';
  process.env.CER_TEST_NO_BROWSER = found.path === undefined ? found.reason : '';
}

/** Sets `CER_TEST_OLDER_BROWSER` to the path of the packaged browser; empty where it is not available. */
export async function prepareOlderBrowser() {
  const { path, reason } = await ensurePackagedBrowser({ log });
  if (path === undefined) log(reason);
  process.env.CER_TEST_OLDER_BROWSER = path ?? '';
}
