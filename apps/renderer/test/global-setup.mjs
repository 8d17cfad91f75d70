import { prepareRenderer } from '../../../scripts/test/renderer-setup.mjs';

export default prepareRenderer;
