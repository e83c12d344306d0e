#!/usr/bin/env node
import '../dist/src/client/cli.js';
