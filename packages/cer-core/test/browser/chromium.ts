import { existsSync } from 'node:fs';
import puppeteer from 'puppeteer';

const candidates = [
  process.env['CHROMIUM_PATH'],
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/lib/chromium/chromium',
  '/usr/bin/chromium',
];

/** The first Chromium that is installed here, or null. */
export function findChromium(): string | null {
  return candidates.find((path) => path !== undefined && existsSync(path)) ?? null;
}

/** Evaluates a script and then the expressions, one after the other, on an empty page. */
export async function evaluateInChromium(
  executablePath: string,
  script: string,
  expressions: readonly string[],
): Promise<readonly unknown[]> {
  const isRoot = process.getuid?.() === 0;
  const browser = await puppeteer.launch({
    executablePath,
    headless: true,
    // The page is our own code; as root Chromium does not start with its sandbox.
    args: isRoot ? ['--no-sandbox'] : [],
  });
  try {
    const page = await browser.newPage();
    // Answered here, never sent: an https page is a secure context, where WebCrypto lives.
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      void request.respond({ contentType: 'text/html', body: '<!doctype html><title>vectors</title>' });
    });
    await page.goto('https://vectors.invalid/');
    await page.addScriptTag({ content: script });
    const answers: unknown[] = [];
    for (const expression of expressions) answers.push(await page.evaluate(expression));
    return answers;
  } finally {
    await browser.close();
  }
}
