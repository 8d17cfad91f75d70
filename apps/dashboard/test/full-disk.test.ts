import { smallDisk } from '@cer/sql-store/testing';
import { expect, it } from '@jest/globals';
import { TestBrowser } from './test-browser.js';
import { startTestDashboard } from './test-dashboard.js';

it('is not ready on a full disk until a write succeeds', async () => {
  const disk = smallDisk(4);
  if (disk === null) {
    process.stderr.write('A full disk is not tested here: mounting needs root.\n');
    return;
  }
  const dashboard = await startTestDashboard({ databaseUrl: `sqlite:${disk.folder}/dashboard.sqlite` });
  const browser = new TestBrowser(dashboard.app);
  const ready = async () => {
    const { status, text } = await browser.get('/ready');
    return [status, JSON.parse(text) as unknown];
  };
  try {
    disk.fill();
    let status = 303;
    for (let at = 0; at < 100 && status === 303; at += 1) {
      browser.cookies.clear();
      status = (await browser.signIn()).status;
    }
    expect(status).toBe(503);
    const reasons = ['the database cannot be written: its disk may be full or read-only'];
    for (let at = 0; at < 3; at += 1) expect(await ready()).toEqual([503, { status: 'not ready', reasons }]);
    disk.empty();
    expect(await ready()).toEqual([200, { status: 'ready' }]);
    expect((await browser.signIn()).status).toBe(303);
  } finally {
    await dashboard.close();
    disk.remove();
  }
});
