#!/usr/bin/env -S node --max-semi-space-size=2 --no-parallel-scavenge --max-old-space-size=96
// the flags keep V8 from letting garbage pile up while a backlog is delivered: docs/decisions/0011-agent-memory.md
import '../dist/program/vantage-agent.js';
