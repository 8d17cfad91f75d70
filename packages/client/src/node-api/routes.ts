interface NodeRoute {
  readonly method: 'GET' | 'POST';
  /** `:name` is a part that the caller gives. */
  readonly path: string;
  /** Whether the API key is sent. */
  readonly keyed: boolean;
}

const open = (method: NodeRoute['method'], path: string): NodeRoute => ({ method, path, keyed: false });
const keyed = (method: NodeRoute['method'], path: string): NodeRoute => ({ method, path, keyed: true });

/** The routes of a node that the client calls, by method of the client. @see docs/spec.md, "Routes" */
export const NODE_ROUTES = {
  certify: keyed('POST', '/v1/cer/ai/certify'),
  certifyBatch: keyed('POST', '/v1/cer/ai/certify-batch'),
  create: keyed('POST', '/v1/cer/ai/create'),
  attest: keyed('POST', '/api/attest'),
  attestBatch: keyed('POST', '/api/attest-batch'),
  verify: open('POST', '/v1/cer/verify'),
  lookup: open('GET', '/v1/cer/public'),
  proof: open('GET', '/api/public-cer-proof'),
  resolve: open('GET', '/v1/resolve/cer/:hash'),
  registerProject: keyed('POST', '/v1/project-bundle/register'),
  verifyProject: open('POST', '/v1/project-bundle/verify'),
  project: open('GET', '/v1/project-bundle/public'),
  records: keyed('GET', '/v1/records'),
  ownCertificate: keyed('GET', '/v1/records/certificate'),
  countRecords: keyed('GET', '/v1/records/count'),
  exportRecords: keyed('GET', '/v1/records/export'),
  coverage: keyed('GET', '/v1/coverage'),
  settings: keyed('GET', '/v1/settings'),
  webhooks: keyed('GET', '/v1/webhooks'),
  createWebhook: keyed('POST', '/v1/webhooks'),
  rotateWebhook: keyed('POST', '/v1/webhooks/:id/rotate'),
  removeWebhook: keyed('POST', '/v1/webhooks/:id/remove'),
  testWebhook: keyed('POST', '/v1/webhooks/:id/test'),
  webhookDeliveries: keyed('GET', '/v1/webhooks/:id/deliveries'),
  sendDelivery: keyed('POST', '/v1/webhooks/:id/deliveries/:delivery/send'),
  render: keyed('POST', '/api/render'),
  verifyRender: keyed('POST', '/verify'),
  logProof: open('GET', '/v1/log/proof'),
  logCheckpoint: open('GET', '/log/checkpoint'),
  auditLog: open('GET', '/v1/admin/audit'),
  keys: open('GET', '/.well-known/svc-node.json'),
  keyHistory: open('GET', '/.well-known/svc-key-history.json'),
  version: open('GET', '/version'),
  health: open('GET', '/health'),
  ready: open('GET', '/ready'),
} as const satisfies Readonly<Record<string, NodeRoute>>;

export type RouteName = keyof typeof NODE_ROUTES;
