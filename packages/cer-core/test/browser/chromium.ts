import { launchChromium, newPage } from '@cer/test-browser';

/** Evaluates a script and then the expressions, one after the other, on an empty page of a real Chromium. */
export async function evaluateInChromium(script: string, expressions: readonly string[]): Promise<readonly unknown[]> {
  const browser = await launchChromium();
  try {
    const page = await newPage(browser);
    // Answered here, never sent: WebCrypto needs a secure context such as an https page.
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
