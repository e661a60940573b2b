/** Plans and replays some of many parked messages, and nothing else: the peak of its memory is a replay's. */
import { planned, replay, side } from './replay-side.ts';

const chosen = Number(process.argv[2]);
await replay(await planned(), chosen);
process.send?.(Math.round(process.resourceUsage().maxRSS / 1024));
await side.close();
process.exit(0);
