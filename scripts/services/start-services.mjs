import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupError } from '../setup/setup-error.mjs';
import { servicesIn } from './catalogue.mjs';
import { ServiceEnded, ServiceFault, startChild, stopAll, untilReady } from './child.mjs';
import { openDataFolder, removeFile, secretIn, writePrivately } from './data-folder.mjs';
import { certifySample, demoAccount } from './demo.mjs';
import { launchArguments } from './launch.mjs';
import { assertPortsFree, servicePorts } from './ports.mjs';
import { untilStopSignal } from './stop-signal.mjs';
import { witnessedLog } from './witnessed-log.mjs';

const LOGGED_WITHIN_MS = 15_000;

const KEPT_FROM_THIS_PROCESS = [
  ...['PATH', 'HOME', 'TMPDIR', 'LANG', 'TZ', 'CHROMIUM_PATH', 'NODE_EXTRA_CA_CERTS'],
  // Node and renderer must use the same value.
  'MAX_TOTAL_FRAMES',
  // A slow machine may give a sketch more time.
  ...['STILL_DEADLINE_MS', 'LOOP_DEADLINE_MS', 'FRAME_DEADLINE_MS'],
  // The time-stamping authorities of the node.
  ...['TSA_URLS', 'TSA_ROOTS_FILE'],
];

/**
 * Starts every service, certifies a sample, prints what to try, and waits. Ctrl-C stops all; a service
 * that exits on its own stops all, and its last lines are shown. The other services do not wait for a renderer whose
 * browser does not start; it tries again.
 * @param {{root: string, browser: {path?: string, reason?: string} | null, log?: (line: string) => void}} options
 */
export async function startServices({ root, browser, log = console.log }) {
  const ports = servicePorts();
  const hasBrowser = browser?.path !== undefined;
  const services = servicesIn(root).filter(({ needsBrowser }) => needsBrowser !== true || hasBrowser);
  await assertPortsFree(
    services.map(({ name }) => name),
    ports,
  );
  const { folder, path } = openDataFolder(root);
  const servicesFile = path('services.json');
  removeFile(servicesFile);
  const setting = {
    ports,
    path,
    urls: addresses(ports, '127.0.0.1'),
    // Where people sign in: passkeys need a host name. Both, so that the handoff stays on one site.
    pages: {
      ...addresses(ports, '127.0.0.1'),
      ...addresses({ bridge: ports.bridge, dashboard: ports.dashboard }, 'localhost'),
    },
    logVkeys: [],
    runs: (name) => services.some((service) => service.name === name),
  };
  const adminSecret = secretIn(path('admin-secret'));
  for (const name of ['renderer-token', 'control-plane-token']) secretIn(path(name));
  if (setting.runs('witness')) {
    setting.logVkeys = await witnessedLog({ root, path, urls: setting.urls });
  }
  const account = await demoAccount({ root, path, hasDashboard: setting.runs('dashboard') });

  const children = services.map(({ name, args, env }) =>
    startChild({
      name,
      args: [...launchArguments(root, name), ...(args ?? [])],
      cwd: root,
      logs: path('logs'),
      // Not this process's whole environment: it may hold unrelated secrets.
      env: { ...inherited(), ...(hasBrowser && { CHROMIUM_PATH: browser.path }), ...env(setting) },
    }),
  );
  const stopped = untilStopSignal();
  const isNeeded = ({ name }) => services.some((service) => service.name === name && service.needsBrowser !== true);
  /** What is shown of each optional service that is not ready, by name. */
  const leftOut = new Map();
  const readyOrLeftOut = async (child) => {
    try {
      await untilReady(child, setting.urls[child.name]);
    } catch (error) {
      if (isNeeded(child) || !(error instanceof ServiceFault)) throw error;
      leftOut.set(child.name, error instanceof ServiceEnded ? `not running: ${error.message}` : notReady(error));
    }
  };
  try {
    const ready = Promise.all(children.map(readyOrLeftOut));
    const endedEarly = Promise.race(children.filter(isNeeded).map((child) => child.ended));
    const first = await Promise.race([ready, stopped, endedEarly]);
    if (first instanceof ServiceEnded) throw first;
    if (typeof first !== 'string') {
      const sample = await certifySample({ root, nodeUrl: setting.urls.node, apiKey: account.apiKey });
      const isLogged = setting.runs('witness') && (await untilLogged(setting.urls.node, sample.certificateHash));
      const running = Object.fromEntries(
        services.filter(({ name }) => !leftOut.has(name)).map(({ name }) => [name, { url: setting.pages[name] }]),
      );
      const facts = { ...running, ...account, adminSecret };
      writePrivately(servicesFile, `${JSON.stringify(facts, null, 2)}\n`);
      showTable({ log, services, leftOut, setting, account, sample, isLogged, folder, browser });
    }
    const ended = children.filter(({ name }) => !leftOut.has(name)).map((child) => child.ended);
    const reason = typeof first === 'string' ? first : await Promise.race([stopped, ...ended]);
    if (reason instanceof ServiceEnded) throw reason;
    log('\nStopping ...');
    // A terminal sends its signal to the whole group; repeating the same one would cut requests off.
    await stopAll(children, reason === 'SIGINT' ? 'SIGTERM' : 'SIGINT');
    log('All services have stopped.');
  } catch (error) {
    await stopAll(children, 'SIGTERM');
    throw error instanceof ServiceFault ? new SetupError(`${error.message}.`, explain(error)) : error;
  } finally {
    removeIfPossible(servicesFile, log);
  }
}

/** A disk that became read-only must not hide why the services stopped. The next start removes the file. */
function removeIfPossible(file, log) {
  try {
    removeFile(file);
  } catch (error) {
    log(error.message);
  }
}

/** The address of each service on this machine, by name. */
function addresses(ports, host) {
  return Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, `http://${host}:${port}`]));
}

/** Whether the log shows the sample within a few seconds; the services run on without. */
async function untilLogged(nodeUrl, certificateHash) {
  const url = `${nodeUrl}/v1/log/proof?certificate_hash=${encodeURIComponent(certificateHash)}`;
  for (const deadline = Date.now() + LOGGED_WITHIN_MS; Date.now() < deadline; await sleep(200)) {
    if ((await fetch(url)).ok) return true;
  }
  return false;
}

/** A browser that did not start in time is started again; one that cannot run here is not. */
function notReady({ message, reason, remedy }) {
  return `not ready: ${reason ?? message}. It renders once its browser starts, and answers 503 until then. ${remedy.at(-1)}`;
}

function inherited() {
  return Object.fromEntries(
    KEPT_FROM_THIS_PROCESS.filter((name) => process.env[name] !== undefined).map((name) => [name, process.env[name]]),
  );
}

function explain({ remedy, lines }) {
  return `${remedy.join(' ')} Its last lines:\n\n${lines.join('\n')}`;
}

function showTable({ log, services, leftOut, setting, account, sample, isLogged, folder, browser }) {
  const shown = (file) => relative(process.cwd(), file) || '.';
  const width = Math.max(...services.map(({ title }) => title.length));
  const { urls, pages, path } = setting;
  log('');
  for (const { name, title } of services) {
    const reason = leftOut.get(name);
    log(`  ${title.padEnd(width)}  ${reason ?? pages[name]}`);
  }
  if (browser !== null && browser.path === undefined) {
    log(`  ${'renderer'.padEnd(width)}  not running: ${browser.reason}`);
  }
  log('');
  log(`  API key of the demo tenant  ${shown(path('api-key'))}`);
  if (account.owner !== undefined) {
    log(`  Sign in to the dashboard    ${account.owner.email}, password in ${shown(path('owner.json'))}`);
  }
  log(`  Data, keys and logs         ${shown(folder)}`);
  log(`  Sample certificate          ${sample.certificateHash}`);
  if (setting.runs('verifier')) log(`                              ${sample.verificationUrl}`);
  if (isLogged)
    log(`  Log proof of the sample     ${urls.node}/v1/log/proof?certificate_hash=${sample.certificateHash}`);
  const lookup = `${urls.node}/v1/cer/public?certificate_hash=${sample.certificateHash}`;
  log('');
  log('Try, in another terminal:');
  log(`  curl -s '${lookup}' > record.json`);
  const policy = isLogged ? ` --log-policy ${shown(path('log-policy.txt'))}` : '';
  log(`  npx cer verify record.json --keys ${urls.node}${policy}`);
  log("  jq -j .canonical.certificate.canonicalPayload record.json | sha256sum   # the sample's hash");
  log('');
  log('Ctrl-C stops everything. The data stays.');
}
