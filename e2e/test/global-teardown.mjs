export { leaveServiceBundles as default } from '../../scripts/test/service-bundles.mjs';
