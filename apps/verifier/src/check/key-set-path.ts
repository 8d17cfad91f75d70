/** Where a node publishes its keys. @see docs/spec.md, "Node key set" */
export const KEY_SET_PATH = '/.well-known/svc-node.json';
