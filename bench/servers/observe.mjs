// Preloaded into a measured server: on a message it reports its CPU time, the delay of its event loop and its
// transactions since the last one.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import Database from 'better-sqlite3';

const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
let transactions = 0;
const { transaction } = Database.prototype;
Database.prototype.transaction = function counted(work) {
  transactions += 1;
  return transaction.call(this, work);
};
let before = process.cpuUsage();
process.on('message', () => {
  const { user, system } = process.cpuUsage(before);
  const [delayP99Ms, delayMaxMs] = [delay.percentile(99) / 1e6, delay.max / 1e6];
  process.send({ cpuUs: user + system, delayP99Ms, delayMaxMs, transactions });
  delay.reset();
  transactions = 0;
  before = process.cpuUsage();
});
process.channel?.unref();
