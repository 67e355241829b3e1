import { parseGoDuration } from '../../kubelet/go-duration.ts';
import { controllerManagerSettings } from './controller-manager-settings.ts';
import { readSetting } from './read-setting.ts';
import type { ProgramFacts } from './settings-facts.ts';

/** What upstream's leader election says of times that do not fit together; the first fault only, as there. */
export function leaderElectionFaults(program: ProgramFacts): readonly string[] {
  if (program.component !== 'kube-controller-manager' || !program.commandLine) return [];
  const read = (name: string) => {
    const definition = controllerManagerSettings.find((one) => one.name === name);
    return definition && readSetting(definition, program)?.value;
  };
  const duration = (name: string) => parseGoDuration(String(read(name)));
  const lease = duration('leaderElectLeaseDuration');
  const renew = duration('leaderElectRenewDeadline');
  const retry = duration('leaderElectRetryPeriod');
  if (read('leaderElect') !== true) return [];
  if (lease === undefined || renew === undefined || retry === undefined) return [];
  if (lease <= renew) return ['leaseDuration must be greater than renewDeadline'];
  if (renew <= Math.trunc(retry * jitter)) {
    return ['renewDeadline must be greater than retryPeriod*JitterFactor'];
  }
  if (lease <= 0) return ['leaseDuration must be greater than zero'];
  if (renew <= 0) return ['renewDeadline must be greater than zero'];
  return retry <= 0 ? ['retryPeriod must be greater than zero'] : [];
}

const jitter = 1.2;
