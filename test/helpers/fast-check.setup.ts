import fc from 'fast-check';

/**
 * The same inputs each time, so that a red run is about the change it ran for. `LAYOVER_FUZZ=1` tries
 * others with every run; what one finds becomes a test of its own.
 */
if (!process.env.LAYOVER_FUZZ) fc.configureGlobal({ seed: 20_261_130 });
