// G20 to G23: the sketches of the gallery by the portable engine beside the browser's own: time of all stills, frames of
// a loop, opening of a page, memory of a page.
import { readFileSync } from 'node:fs';
import { silentLogger } from '@cer/http-service/process';
import { cpuMs, processGroup } from '../apps/renderer/dist/browser/processes.js';
import { startEngine } from '../apps/renderer/dist/engine.js';
import { renderLoop } from '../apps/renderer/dist/rendering/render-loop.js';
import { renderStill } from '../apps/renderer/dist/rendering/render-still.js';
import { ensureBrowser } from '../scripts/browser.mjs';
import { GALLERY } from '../scripts/test/machines/gallery.mjs';
import { wholeJob } from '../scripts/test/machines/whole-job.mjs';
import { caseOf, median, ratio } from './measure.mjs';

const LIMITS = { deadlineMs: 600_000, maxBytes: 2 ** 32 };
const ENGINES = ['portable', 'chromium-native'];
const MIB = 1024 * 1024;

/**
 * @param {{rounds: number, stills: number, frames: number}} options per round; `stills`: of the gallery, from its first
 * @returns {Promise<{cases: object[], ratios: object[]}>} no cases where no browser can be installed, which is printed with its reason
 */
export async function galleryCases({ rounds, stills, frames }) {
  const { path: chromiumPath } = await ensureBrowser();
  if (chromiumPath === undefined) return { cases: [], ratios: [] };
  const config = { chromiumPath, chromiumUid: 65_534, allowUnsandboxed: false, pagesAhead: 0 };
  const engine = await startEngine(config, silentLogger());
  try {
    const sketches = GALLERY.filter(({ totalFrames }) => totalFrames === undefined).slice(0, stills);
    const orbit = GALLERY.find(({ name }) => name === 'orbit');
    const found = Object.fromEntries(ENGINES.map((name) => [name, { wall: [], cpu: [], open: [], orbit: [] }]));
    const peaks = new Map();
    for (let round = 0; round < rounds; round += 1) {
      const sums = Object.fromEntries(ENGINES.map((name) => [name, { wall: 0, cpu: 0 }]));
      for (const sketch of sketches)
        for (const name of ENGINES) {
          const { wallMs, openMs, cpuSeconds, peakMib } = await timed(engine, name, (page) =>
            renderStill(page, sketch),
          );
          sums[name].wall += wallMs / 1000;
          sums[name].cpu += cpuSeconds;
          found[name].open.push(openMs);
          const key = `${name} ${sketch.name}`;
          peaks.set(key, Math.min(peakMib, peaks.get(key) ?? Infinity));
        }
      for (const name of ENGINES) {
        found[name].wall.push(sums[name].wall);
        found[name].cpu.push(sums[name].cpu);
        const plan = { totalFrames: frames, fps: 30 };
        const { wallMs } = await timed(engine, name, (page) =>
          renderLoop(page, orbit, plan, { frameDeadlineMs: 10_000 }),
        );
        found[name].orbit.push((frames / wallMs) * 1000);
      }
    }
    return reported(found, sketches, peaks);
  } finally {
    await engine.close();
  }
}

function reported(found, sketches, peaks) {
  const [portable, native] = ENGINES.map((name) => found[name]);
  const more = sketches.map(({ name }) => ({
    name,
    mib: peaks.get(`portable ${name}`) - peaks.get(`chromium-native ${name}`),
  }));
  return {
    cases: [
      ...ENGINES.flatMap((name) => [
        caseOf(`${sketches.length} stills, ${name}`, 's', found[name].wall),
        caseOf(`${sketches.length} stills, ${name}, CPU of the browser`, 's', found[name].cpu),
        caseOf(`opening a page, ${name}`, 'ms', found[name].open),
        caseOf(`orbit, ${name}`, 'frames/s', found[name].orbit),
      ]),
      ...more.map(({ name, mib }) => caseOf(`memory beside chromium-native, ${name}`, 'MiB', [mib])),
    ],
    ratios: [
      ratio(
        'G20',
        'gallery stills, portable / chromium-native',
        median(portable.wall) / median(native.wall),
        2,
        AT_MOST,
      ),
      ratio('G20', 'CPU of the same', median(portable.cpu) / median(native.cpu), 2, AT_MOST),
      ratio('G21', 'frames/s of orbit, portable', median(portable.orbit), 30),
      ratio('G22', 'ms to open a page, portable', median(portable.open), 400, AT_MOST),
      ratio('G23', 'MiB of a page beside chromium-native, most', Math.max(...more.map(({ mib }) => mib)), 80, AT_MOST),
    ],
  };
}

const AT_MOST = { atMost: true };

/**
 * Runs one job. The CPU time of a page is read before it ends: its parent does not count it.
 * @returns its times, those of opening its page, and the most memory that the page had
 */
async function timed(engine, name, work) {
  const { pid } = await engine.host.current();
  const others = () => cpuOf(processGroup(pid).map((member) => member.pid));
  const cpuBefore = others();
  const startedAt = performance.now();
  let [openMs, peakMib, pageCpu] = [0, 0, 0];
  const pool = {
    async take() {
      const page = await engine.pools[name].take();
      openMs = performance.now() - startedAt;
      return {
        ...page,
        dispose() {
          peakMib = Math.max(...page.pids.map(peakBytes)) / MIB;
          pageCpu = cpuOf(page.pids);
          return page.dispose();
        },
      };
    },
  };
  const { wallMs } = await wholeJob(pool, LIMITS, work);
  return { wallMs, openMs, peakMib, cpuSeconds: others() - cpuBefore + pageCpu };
}

/** CPU seconds of processes; those that have ended count as none. */
function cpuOf(pids) {
  return pids.reduce((sum, pid) => sum + (cpuMs(pid) ?? 0), 0) / 1000;
}

/** The most memory that a process ever had, in bytes. */
function peakBytes(pid) {
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) * 1024;
}
