import { type OpenReplay, openReplay } from './open-replay.ts';
import { createAwsWorld } from './outside/aws-world.ts';
import { parseReplaySettings, type ReplaySettings } from './settings.ts';

/**
 * What the deployed functions open: settings from the environment, the world from AWS.
 * @throws SettingsError, BrokerConfigError
 */
export function openDeployed(settings: ReplaySettings = deployedSettings()): OpenReplay {
  return openReplay(settings, createAwsWorld(settings));
}

/** @throws SettingsError, BrokerConfigError */
export function deployedSettings(): ReplaySettings {
  return parseReplaySettings(process.env);
}
