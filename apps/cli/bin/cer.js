#!/usr/bin/env node
// CommonJS: the loader of ES modules takes as long to start as the command.
const { enableCompileCache } = require('node:module');
const { join } = require('node:path');

// Compiled code, where Node.js keeps it (22.1 and later): in a folder of this user's own, as other users could change it in
// the temporary folder of all, which is the default.
const cache = process.env.XDG_CACHE_HOME || (process.env.HOME && join(process.env.HOME, '.cache'));
if (cache) enableCompileCache?.(join(cache, 'cer'));
require('../dist/bundle/cer.js');
