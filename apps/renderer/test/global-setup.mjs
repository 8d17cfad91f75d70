// Brings a browser before the suites that need one; where none can be had, they say so instead of running.
import '../build/math.mjs';
import { ensureBrowser } from '../../../scripts/browser.mjs';

export default async function setup() {
  const found = await ensureBrowser({ log: (line) => process.stderr.write(`${line}\n`) });
  process.env.CER_TEST_NO_BROWSER = found.path === undefined ? found.reason : '';
}
