import type { JudgedSandbox } from '../kubelet/container-outlook.ts';
import type { RuntimeSandbox } from '../kubelet/sandbox-gc.ts';

/** Why a pod sandbox goes or stays. */
export const sandboxBecause: Readonly<Record<JudgedSandbox<RuntimeSandbox>['reason'], string>> = {
  ready: 'it is ready',
  'has-containers': 'it has containers',
  'deleted-pod': 'its pod is gone',
  older: 'its pod has a newer one',
  newest: 'it is the newest of its pod',
  unsure: 'it goes if its pod is gone, which nobody could read',
};
