export { default } from '../../../scripts/test/use-build.mjs';
