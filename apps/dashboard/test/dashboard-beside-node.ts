import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startTestDashboard, type TestDashboard } from './test-dashboard.js';

/** A dashboard whose node answers as the test says. Closing it closes the node too. */
export async function startDashboardBesideNode(answers: RequestListener): Promise<TestDashboard> {
  const node = createServer(answers).listen(0, '127.0.0.1');
  await once(node, 'listening');
  const { port } = node.address() as AddressInfo;
  const dashboard = await startTestDashboard({ nodeUrl: `http://127.0.0.1:${port}` });
  return {
    ...dashboard,
    close: async () => {
      node.closeAllConnections();
      node.close();
      await dashboard.close();
    },
  };
}
