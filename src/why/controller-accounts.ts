/** As whom a controller of kube-controller-manager sends its requests. */
export interface ControllerAccount {
  readonly name: string;
  readonly groups: readonly string[];
}

/** How sentences call the controllers of kube-controller-manager. */
export const controllerTitles = {
  'garbage-collector-controller': 'garbage collector',
  'job-controller': 'Job controller',
  'namespace-controller': 'namespace controller',
  'persistentvolume-attach-detach-controller': 'attach-detach controller',
  'persistentvolume-binder-controller': 'persistent volume controller',
  'persistentvolume-protection-controller': 'PV protection controller',
  'persistentvolumeclaim-protection-controller': 'PVC protection controller',
  'pod-garbage-collector-controller': 'pod garbage collector',
} as const;

export type ControllerWithAccount = keyof typeof controllerTitles;

/** The ServiceAccounts in kube-system with which controllers send requests (--use-service-account-credentials). */
const serviceAccounts = {
  'garbage-collector-controller': 'generic-garbage-collector',
  'job-controller': 'job-controller',
  'namespace-controller': 'namespace-controller',
  'persistentvolume-attach-detach-controller': 'attachdetach-controller',
  'persistentvolume-binder-controller': 'persistent-volume-binder',
  'persistentvolume-protection-controller': 'pv-protection-controller',
  'persistentvolumeclaim-protection-controller': 'pvc-protection-controller',
  'pod-garbage-collector-controller': 'pod-garbage-collector',
} as const satisfies Record<ControllerWithAccount, string>;

const accountGroups = [
  'system:serviceaccounts',
  'system:serviceaccounts:kube-system',
  'system:authenticated',
];

/** The own account of a controller (GC-78). */
export function accountOf(controller: ControllerWithAccount): ControllerAccount {
  return {
    name: `system:serviceaccount:kube-system:${serviceAccounts[controller]}`,
    groups: accountGroups,
  };
}
