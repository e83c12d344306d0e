#!/usr/bin/env node
import '../dist/program/vantage-control.js';
