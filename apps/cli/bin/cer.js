#!/usr/bin/env node
// CommonJS: the loader of ES modules takes as long to start as the command.
const { enableCompileCache } = require('node:module');
const { join } = require('node:path');

// An older one lacks functions of node:crypto: each verification would end as failed.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`cer: Node.js ${process.versions.node} is too old: install 20.19, 22.12 or 24 from https://nodejs.org`);
  process.exit(3);
}

// Compiled code, where Node.js keeps it (22.1 and later): in a folder of this user's own, as other users could change it in
// the temporary folder of all, which is the default.
const cache = process.env.XDG_CACHE_HOME || (process.env.HOME && join(process.env.HOME, '.cache'));
if (cache) enableCompileCache?.(join(cache, 'cer'));
require('../dist/bundle/cer.js');
