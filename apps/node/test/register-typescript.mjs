// node --import ./register-typescript.mjs ../src/main.ts: the node itself, from its sources.
import { register } from 'node:module';

register('./store/typescript-hooks.mjs', import.meta.url);
