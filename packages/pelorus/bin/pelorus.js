#!/usr/bin/env node
import '@pelorus/cli/bin/pelorus.js';
