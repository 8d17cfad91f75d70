import { describe, expect, it } from '@jest/globals';
import { readConfig } from './config.js';

const REQUIRED = {
  PUBLIC_URL: 'https://bridge.example',
  NODE_URL: 'http://node:4100',
  CONTROL_PLANE_TOKEN_FILE: '/run/secrets/service-token',
};

describe('the address of the dashboard', () => {
  it('may be plain http inside a cluster', () => {
    const inside = {
      CONTROL_PLANE_URL: 'http://dashboard:4400',
      PUBLIC_CONTROL_PLANE_URL: 'https://dashboard.example',
    };
    expect(readConfig({ ...REQUIRED, ...inside })).toMatchObject({
      controlPlaneUrl: 'http://dashboard:4400',
      dashboardUrl: 'https://dashboard.example',
    });
  });

  it('must be one for browsers where no other is', () => {
    expect(readConfig({ ...REQUIRED, CONTROL_PLANE_URL: 'http://127.0.0.1:4400' }).dashboardUrl).toBe(
      'http://127.0.0.1:4400',
    );
    expect(() => readConfig({ ...REQUIRED, CONTROL_PLANE_URL: 'http://dashboard:4400' })).toThrow(
      'CONTROL_PLANE_URL: must be an https origin (http only for localhost), or PUBLIC_CONTROL_PLANE_URL must be set to one',
    );
  });
});
