import type { ChaosStage } from './chaos-stage.ts';
import { Scene, type SceneOptions } from './scene.ts';
import { Wires } from './wires.ts';

export interface WiredScene extends AsyncDisposable {
  readonly scene: Scene;
  readonly wires: Wires;
}

/** A scene whose functions and pollers reach broker, secret and table over wires that can be broken. */
export async function openWiredScene(
  stage: ChaosStage,
  managementUrl: string | undefined,
  options: SceneOptions,
): Promise<WiredScene> {
  const wires = await Wires.lay(stage, managementUrl);
  const scene = await Scene.open(stage, {
    ...options,
    env: wires.env,
    pollerUrl: wires.pollerUrl,
  });
  return {
    scene,
    wires,
    async [Symbol.asyncDispose]() {
      await scene.close();
      await wires.close();
    },
  };
}
