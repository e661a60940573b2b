/** What is used of dynalite, which publishes no types. */
declare module 'dynalite' {
  import type { Server } from 'node:http';

  export default function dynalite(options?: {
    /** How long a new table is in the state CREATING. Default 500. */
    readonly createTableMs?: number;
  }): Server;
}
