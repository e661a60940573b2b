import { App } from 'aws-cdk-lib';
import { composeApp } from './compose-app.ts';

/**
 * `cdk <command> -c env=<name>`: one stack with everything of that environment.
 * Synthesised only when all of it is there: a refusal leaves the output folder's manifest as it was.
 */
const app = new App({ autoSynth: false });
try {
  // Environments are checked as they are defined: that is one of the refusals below.
  const { environmentNamed } = await import('./environments.ts');
  await composeApp(app, environmentNamed(app.node.tryGetContext('env')));
  app.synth();
} catch (error) {
  // Messages that say what to change need no stack; anything without a code is a fault of ours.
  const expected = error instanceof Error && 'code' in error;
  console.error(expected ? `${error.name}: ${error.message}` : error);
  process.exitCode = 1;
}
