import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import puppeteer from 'puppeteer';
import { freePort } from './free-port.js';

/** Timeout of starts, loads and scripts, generous for a loaded machine. */
const PATIENCE_MS = 300_000;
const FIREFOX_PATHS = [process.env['FIREFOX_PATH'] ?? '', '/usr/bin/firefox-esr', '/usr/bin/firefox'];
const WEBKIT_DRIVER = '/usr/bin/WebKitWebDriver';
const XVFB = '/usr/bin/Xvfb';

/** A browser with one page, whose JavaScript engine is not that of Chromium. */
export interface OtherBrowser {
  open(url: string): Promise<void>;
  /** @param body of an async function without arguments; what it returns is JSON */
  run(body: string): Promise<unknown>;
  close(): Promise<void>;
}

type Open = () => Promise<OtherBrowser>;

/** The suite once for each of Firefox and WebKit; where one is not installed, a single test reports that. */
export function describeInOtherBrowsers(name: string, suite: (open: Open) => void): void {
  for (const [browser, open, needs] of [
    ['Firefox', firefox(), 'firefox-esr'],
    ['WebKit', webKit(), 'webkit2gtk-driver and xvfb'],
  ] as const) {
    describe(`${name} in ${browser}`, () => {
      if (open !== null) suite(open);
      else
        it(`is not run: no ${needs}`, () => {
          process.stderr.write(`not run: ${name} in ${browser}: Debian's ${needs} not installed\n`);
          expect(open).toBeNull();
        });
    });
  }
}

function firefox(): Open | null {
  const executablePath = FIREFOX_PATHS.find((path) => existsSync(path));
  if (executablePath === undefined) return null;
  return async () => {
    const timeouts = { timeout: PATIENCE_MS, protocolTimeout: PATIENCE_MS };
    const browser = await puppeteer.launch({ browser: 'firefox', executablePath, ...timeouts });
    const page = await browser.newPage();
    return {
      open: async (url) => void (await page.goto(url)),
      run: (body) => page.evaluate(`(async () => { ${body} })()`),
      close: () => browser.close(),
    };
  };
}

/** WebKitGTK in its own small browser, by the protocol of WebDriver. @see https://www.w3.org/TR/webdriver2/ */
function webKit(): Open | null {
  if (!existsSync(WEBKIT_DRIVER) || !existsSync(XVFB)) return null;
  const binary = ['4.1', '6.0', '4.0'].flatMap(miniBrowsers).find((path) => existsSync(path));
  if (binary === undefined) return null;
  return async () => {
    const programs: ChildProcess[] = [];
    const stop = (): void => {
      for (const program of programs) program.kill();
    };
    try {
      const browser = await startWebKit(binary, (program) => programs.push(program));
      return { ...browser, close: () => browser.close().finally(stop) };
    } catch (error) {
      stop();
      throw error;
    }
  };
}

async function startWebKit(binary: string, started: (program: ChildProcess) => void): Promise<OtherBrowser> {
  const screenOf = ['-displayfd', '1', '-screen', '0', '1200x1000x24'];
  const screen = spawn(XVFB, screenOf, { stdio: ['ignore', 'pipe', 'ignore'] });
  started(screen);
  const [display] = (await once(createInterface(screen.stdout), 'line')) as [string];
  const port = await freePort();
  // Its sandbox needs a user that is not root; the pages of tests are trusted.
  const env = { ...process.env, DISPLAY: `:${display}`, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1' };
  const driver = spawn(WEBKIT_DRIVER, [`--port=${port}`], { env, stdio: 'ignore' });
  started(driver);
  while (!(await isListening(port))) {
    if (driver.exitCode !== null) throw new Error(`${WEBKIT_DRIVER} ended with exit code ${driver.exitCode}`);
    await sleep(100);
  }
  const send = sender(`http://127.0.0.1:${port}`);
  const options = { binary, args: ['--automation'] };
  const { sessionId } = (await send('POST', '/session', {
    capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } },
  })) as { readonly sessionId: string };
  const session = `/session/${sessionId}`;
  await send('POST', `${session}/timeouts`, { script: PATIENCE_MS, pageLoad: PATIENCE_MS });
  return {
    open: async (url) => void (await send('POST', `${session}/url`, { url })),
    run(body) {
      const script = `const done = arguments[0]; (async () => { ${body} })().then(done, (error) => done(String(error)));`;
      return send('POST', `${session}/execute/async`, { script, args: [] });
    },
    close: async () => void (await send('DELETE', session)),
  };
}

function miniBrowsers(version: string): readonly string[] {
  return readdirSync('/usr/lib').map((folder) => join('/usr/lib', folder, `webkit2gtk-${version}`, 'MiniBrowser'));
}

type Send = (method: string, path: string, body?: unknown) => Promise<unknown>;

function sender(origin: string): Send {
  return async (method, path, body) => {
    const headers = { 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(origin + path, { method, headers, ...sent });
    const { value } = (await response.json()) as { readonly value: unknown };
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(value).slice(0, 500)}`);
    return value;
  };
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
