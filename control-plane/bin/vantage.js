#!/usr/bin/env node
import '../dist/program/vantage.js';
