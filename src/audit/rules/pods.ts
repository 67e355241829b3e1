import { addressOf, shellCommand } from '../../command-line/shell-command.ts';
import { isTerminated, terminatedExcess } from '../../controllers/pod-gc/pass.ts';
import { compareText } from '../../kube/names.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { enabledControllers } from '../../settings/enabled-controllers.ts';
import { eachOf, type Rule, type RuleInput, type Violation, wasRead } from '../rule.ts';

function podGcRuns({ settings: { controllers } }: RuleInput): boolean {
  return enabledControllers(controllers, '')('pod-garbage-collector-controller');
}

/** Of the threshold; from there on it is near. */
const near = 0.9;

export const endedPodsThreshold: Rule = {
  id: 'ended-pods-threshold',
  title: 'More ended pods than pod garbage collection keeps, or nearly as many',
  severity: 'info',
  consequence:
    'above the threshold pod garbage collection deletes ended pods of any namespace: evicted ones first, then those created first',
  advice:
    'Give Jobs `spec.ttlSecondsAfterFinished` and CronJobs low limits. `kubectl gc podgc-preview` shows which Pods are deleted next.',
  subjects: ['pods'],
  readsFacts: true,
  check(view) {
    const { of, settings, settingsFrom } = view;
    const { terminatedPodGCThreshold: threshold } = settings;
    if (threshold <= 0 || !podGcRuns(view)) return [];
    const ended = of('pods').filter((pod) => pod.uid !== '' && isTerminated(pod));
    const { chosen } = terminatedExcess(ended, threshold);
    if (ended.length < threshold * near) {
      // There may be more in what was not read.
      for (const pod of ended) wasRead(view, pod, 'pods', '');
      return [];
    }
    const groups = [...Map.groupBy(ended, ({ namespace }) => namespace)];
    const [most] = groups.sort(([a, one], [b, other]) =>
      one.length === other.length ? compareText(a, b) : other.length - one.length,
    );
    const [first] = ended;
    if (!most || !first) return [];
    const share = `namespace ${most[0]} has ${most[1].length} of them`;
    const known = settingsFrom === 'default' ? ', which is the default' : '';
    const violation: Violation = {
      object: view.cluster.at('namespaces', '', most[0]) ?? first,
      severity: chosen.length > 0 ? 'warning' : 'info',
      confidence: settingsFrom === 'default' ? 'likely' : 'certain',
      message: `${ended.length} pods of the cluster have ended, and its terminated-pod-gc-threshold is ${threshold}${known}; ${share}${chosen.length > 0 ? `, and the next pass deletes ${chosen.length}` : ''}`,
      ...(chosen.length > 0 && { related: chosen.slice(0, 10) }),
      fix: {
        summary: 'give Jobs a time to live, and see whose pods they are',
        command: shellCommand`kubectl gc podgc-preview`,
      },
    };
    return [violation];
  },
};

export const podOnMissingNode: Rule = {
  id: 'pod-on-missing-node',
  title: 'A pod that is bound to a Node that does not exist',
  severity: 'warning',
  consequence:
    'will be deleted: pod garbage collection does it 40 to 80 seconds after it found the Node gone, whatever the pod does',
  advice:
    'When the machine is off for good there is nothing to do. If the pod stays, delete it without waiting for a kubelet.',
  ...eachOf('pods', (pod, view) => {
    const { phase = 'Unknown' } = pod.facts ?? {};
    const nodeName = knownNodeOf(pod);
    if (pod.uid === '' || nodeName === undefined) return undefined;
    if (view.cluster.at('nodes', '', nodeName) || !wasRead(view, pod, 'nodes', '')) {
      return undefined;
    }
    return {
      object: pod,
      message: `Node ${nodeName} does not exist; the pod is ${phase} there`,
      ...(!podGcRuns(view) && {
        consequence: 'never collected: pod-garbage-collector-controller is switched off',
      }),
      fix: {
        summary: 'if the machine is off for good, delete the pod without waiting for a kubelet',
        command: shellCommand`kubectl delete ${addressOf(pod)} --grace-period=0 --force`,
      },
    };
  }),
};
