#!/usr/bin/env node
import '../dist/program/vantage-agent.js';
