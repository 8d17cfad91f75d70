/** Where a node publishes its keys. @see docs/spec.md, "Node key set" */
export const KEY_SET_PATH = '/.well-known/svc-node.json';

/** Path of the key history. @see docs/spec.md, "Key history" */
export const KEY_HISTORY_PATH = '/.well-known/svc-key-history.json';
