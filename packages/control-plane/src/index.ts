/** What the control plane and its askers, node and bridge, must know alike. */
export { apiKeyPrefix, generateApiKey, hashApiKey, isApiKey, isScope, SCOPES, type Scope } from './api-key.js';
export { CONTROL_PLANE_PATHS, controlPlaneAt } from './ask.js';
export {
  CONTROL_PLANE_TIMES,
  keyIntrospection,
  KeyIntrospectionRequest,
  sessionIntrospection,
  SessionIntrospectionRequest,
  type PlanLimits,
} from './introspection.js';
export { PROTOCOLS, TenantSettings, type ProtocolVersion } from './tenant-settings.js';
export { isUsageKind, MAX_USAGE_COUNT, MAX_USAGE_ITEMS, USAGE_KINDS, UsageReport, type UsageKind } from './usage.js';
