import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { browserFault, rendererFault } from '../../src/browser/confinement.js';
import { confinementOf, isAlive, processGroup } from '../../src/browser/processes.js';
import { startPacketCounter, type PacketCounter } from '../packet-counter.js';
import { eventually, startRenderer, type RendererUnderTest } from '../renderer-under-test.js';
import { describeWithBrowser } from '../with-browser.js';
import { pageProcesses } from './page-processes.js';

/** Tries every way out that a page knows; none of it may reach the listener. */
const CHANNELS = (port: number): string => `
  const url = 'http://127.0.0.1:${port}/';
  const add = (tag, attributes) => { const e = document.createElement(tag); Object.assign(e, attributes); document.documentElement.append(e); return e; };
  const link = (rel, as) => add('link', { rel, href: url + rel, as });
  const ways = [
    () => fetch(url), () => fetch(url, { mode: 'no-cors' }), () => fetch('file:///etc/passwd'),
    () => { const x = new XMLHttpRequest(); x.open('GET', url); x.send(); }, () => navigator.sendBeacon(url, 'x'),
    () => new WebSocket('ws://127.0.0.1:${port}/'), () => new EventSource(url), () => { new Image().src = url; },
    () => add('script', { src: url }), () => link('stylesheet'), () => link('prefetch'), () => link('preload', 'image'), () => link('preconnect'), () => link('dns-prefetch'), () => link('modulepreload'), () => link('icon'),
    () => add('iframe', { src: url }), () => add('object', { data: url }), () => add('embed', { src: url }), () => import(url), () => new FontFace('f', 'url(' + url + ')').load(), () => add('video', { src: url }),
    () => new Worker(URL.createObjectURL(new Blob(['fetch("' + url + '")']))), () => navigator.serviceWorker.register(url), () => new WebTransport('https://127.0.0.1:${port}/'),
    () => { const p = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${port}' }] }); p.createDataChannel('x'); p.createOffer().then((o) => p.setLocalDescription(o)); },
    () => window.open(url + 'popup'), () => { const f = add('form', { action: url, method: 'post', target: '_blank' }); f.submit(); },
    () => { const a = add('a', { href: url, download: 'x', ping: url }); a.click(); }, () => document.cookie = 'x=1', () => { add('style', { textContent: '@import "' + url + '"; body { background: url(' + url + ') }' }); },
  ];
  for (const way of ways) { try { const r = way(); r && r.catch && r.catch(() => {}); } catch {} }
`;

/** As the kernel has it; empty for a process that has just ended. */
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}

/**
 * Faults in the confinement of a browser's processes, those of pages and all others; an ending process has no fault.
 */
function faultsOfGroup(pid: number, pages: ReadonlySet<number>): string[] {
  const self = confinementOf('self');
  return processGroup(pid).flatMap((member) => {
    try {
      const found = confinementOf(member.pid);
      const page = pages.has(member.pid) ? rendererFault(found, self) : undefined;
      return [page, browserFault(found, self)].filter((fault) => fault !== undefined);
    } catch (error) {
      return isAlive(member.pid) ? [String(error)] : [];
    }
  });
}

describeWithBrowser('The jail', () => {
  let renderer: RendererUnderTest;
  let outside: PacketCounter;

  beforeAll(async () => {
    process.env['CER_TEST_SECRET'] = 'not for the browser';
    renderer = await startRenderer();
    outside = await startPacketCounter();
  });
  afterAll(async () => {
    outside.close();
    await renderer.close();
  });

  const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1500));

  it('lets no packet of a refused or drawn sketch out', async () => {
    const withImport = CHANNELS(outside.port);
    const without = withImport.replace('() => import(url), ', '');
    for (const [ways, expected] of [[withImport, 400] as const, [without, 200] as const]) {
      const { status } = await renderer.still(`function setup() { ${ways} background(1); }`);
      expect(status).toBe(expected);
    }
    await settle();
    expect(outside.packets).toBe(0);
  });

  it('lets no packet out by the network namespace alone', async () => {
    const { cdp } = await renderer.engine.host.current();
    const { browserContextId } = await cdp.call('Target.createBrowserContext', { disposeOnDetach: true });
    const { targetId } = await cdp.call('Target.createTarget', { url: 'about:blank', browserContextId });
    const { sessionId } = await cdp.call('Target.attachToTarget', { targetId, flatten: true });
    const answer = await cdp.call(
      'Runtime.evaluate',
      { expression: `${CHANNELS(outside.port)} 'ran'`, userGesture: true },
      { sessionId: String(sessionId) },
    );
    expect(answer['result']).toMatchObject({ value: 'ran' });
    await settle();
    await cdp
      .call('Page.navigate', { url: `http://127.0.0.1:${outside.port}/` }, { sessionId: String(sessionId) })
      .catch(() => undefined);
    await settle();
    await cdp.call('Target.disposeBrowserContext', { browserContextId });
    expect(outside.packets).toBe(0);
  });

  it('counts the packets that the test itself sends', async () => {
    await outside.control();
    expect(outside.packets).toBe(2);
  });

  it('hands the browser no variable of the service', async () => {
    const { pid } = await renderer.engine.host.current();
    const environments = processGroup(pid).map((member) => environmentOf(member.pid));
    expect(environments.filter((text) => text.includes('CER_TEST_SECRET'))).toEqual([]);
    const names = readFileSync(`/proc/${pid}/environ`, 'latin1')
      .split('\0')
      .map((entry) => entry.split('=')[0]);
    expect(names.filter(Boolean).sort()).toEqual(
      expect.arrayContaining(['FONTCONFIG_FILE', 'HOME', 'LANG', 'PATH', 'TMPDIR', 'TZ']),
    );
  });

  it('confines every process of the browser', async () => {
    const browser = await renderer.engine.host.current();
    const { pid } = browser;
    const self = confinementOf('self');
    expect(browserFault(confinementOf(pid), self)).toBeUndefined();
    // A process that starts for a later page gets its filter before any code.
    await eventually('a page is there and every process is confined', async () => {
      const pages = await pageProcesses(browser);
      return pages.size > 0 && faultsOfGroup(pid, pages).length === 0;
    });
  });

  it('refuses a browser with root, network, capabilities or no filter', () => {
    const self = { uid: 0, seccomp: 0, effectiveCapabilities: '000001ffffffffff', networkNamespace: 'net:[1]' };
    const good = { uid: 65534, seccomp: 2, effectiveCapabilities: '0000000000000000', networkNamespace: 'net:[2]' };
    expect(rendererFault(good, self)).toBeUndefined();
    expect(browserFault({ ...good, uid: 0 }, self)).toMatch(/root/);
    expect(browserFault({ ...good, networkNamespace: 'net:[1]' }, self)).toMatch(/network/);
    expect(rendererFault({ ...good, seccomp: 0 }, self)).toMatch(/seccomp/);
    expect(rendererFault({ ...good, effectiveCapabilities: '0000000000200000' }, self)).toMatch(/capabilities/);
    expect(rendererFault({ ...good, uid: 0 }, self)).toMatch(/root/);
    expect(rendererFault({ ...good, networkNamespace: 'net:[1]' }, self)).toMatch(/network/);
  });
});
