import { serve, silentLogger, type RunningServer } from '@cer/http-service/process';
import type { Express } from 'express';
import { startTestDashboard, type TestDashboard, type TestDashboardOptions } from './test-dashboard.js';

/** The whole dashboard behind a real port, beside a server that represents the bridge. */
export interface ServedDashboard {
  readonly url: string;
  readonly bridgeUrl: string;
  readonly dashboard: TestDashboard;
  readonly close: () => Promise<void>;
}

export async function serveDashboard(options: TestDashboardOptions = {}): Promise<ServedDashboard> {
  // The port is known only when it listens, and the app must know its own origin.
  const apps: Express[] = [];
  const onLocalhost = { host: '127.0.0.1', port: 0, logger: silentLogger() };
  const server = await serve((request, response) => {
    for (const app of apps) app(request, response);
  }, onLocalhost);
  const bridge: RunningServer = await serve((_request, response) => response.end('the bridge'), onLocalhost);
  // Passkeys need a name, not an address.
  const url = server.url.replace('127.0.0.1', 'localhost');
  const dashboard = await startTestDashboard({ publicUrl: url, bridgeUrl: bridge.url, ...options });
  apps.push(dashboard.app);
  return {
    url,
    bridgeUrl: bridge.url,
    dashboard,
    close: async () => {
      await server.close();
      await bridge.close();
      await dashboard.close();
    },
  };
}
