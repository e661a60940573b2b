import { App } from 'aws-cdk-lib';
import { composeApp } from './compose-app.ts';
import { environmentNamed } from './environments.ts';

/** `cdk <command> -c env=<name>`: one stack with everything of that environment. */
const app = new App();
try {
  await composeApp(app, environmentNamed(app.node.tryGetContext('env')));
  app.synth();
} catch (error) {
  // Messages that say what to change need no stack; anything without a code is a fault of ours.
  const expected = error instanceof Error && 'code' in error;
  console.error(expected ? `${error.name}: ${error.message}` : error);
  process.exitCode = 1;
}
