import fc from 'fast-check';

/**
 * CI tries the same inputs each time, so that a red run is about the change that it ran for. At a desk
 * every run tries others; what one finds becomes a test of its own.
 */
if (process.env.CI) fc.configureGlobal({ seed: 20_261_130 });
