// A worker that closes its channel when it is asked to end, and ends on SIGUSR2.
import cluster from 'node:cluster';

process.on('SIGTERM', () => {
  // Otherwise the cluster module would end this process with its channel.
  cluster.worker.exitedAfterDisconnect = true;
  process.disconnect();
});
process.on('SIGUSR2', () => process.exit(0));
setInterval(() => undefined, 60_000);
process.send({ cer: 'note', name: 'listening', payload: { url: 'http://127.0.0.1:1' } });
