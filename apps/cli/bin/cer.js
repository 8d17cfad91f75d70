#!/usr/bin/env node
import '../dist/bundle/cer.js';
