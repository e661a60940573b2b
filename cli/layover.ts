#!/usr/bin/env node
import { layover } from './program.ts';

process.exitCode = await layover(process.argv.slice(2));
