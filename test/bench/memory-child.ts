/**
 * What a function has in memory, and nothing else: the bundle, and one event that was parsed from text.
 * Arguments: the bundle's file, the event's file. Reports its peak in MiB.
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { aContext } from './context.ts';

const [bundle = '', event = ''] = process.argv.slice(2);
const { handler } = await import(pathToFileURL(bundle).href);
await handler(JSON.parse(readFileSync(event, 'utf8')), aContext());
process.send?.(Math.round(process.resourceUsage().maxRSS / 1024));
process.exit(0);
