/** Where to look for the program that removes a finalizer. */
export interface FinalizerController {
  /** As its own project calls it: `external-provisioner of the CSI driver`. */
  readonly title: string;
  /** `workload`: pods of the cluster; the other two run in the control plane. */
  readonly runsIn: 'kube-controller-manager' | 'kube-apiserver' | 'workload';
  /** Managed clusters run it out of sight, so its absence proves nothing. */
  readonly mayRunElsewhere?: true;
  /** There is one for each driver, provider or service, so a running one may belong to another. */
  readonly oneOfMany?: true;
  /** Which of `names` it is for objects of an API group, where there are several. */
  readonly namesByGroup?: Readonly<Record<string, readonly string[]>>;
  /** Its name for kube-controller-manager's --controllers. */
  readonly controllerName?: string;
  /** Names of Deployments, StatefulSets and DaemonSets; a release's name may stand in front or behind. */
  readonly names?: readonly string[];
  /** Values of the labels app.kubernetes.io/name, app.kubernetes.io/part-of, k8s-app, app and name. */
  readonly labels?: readonly string[];
  /** Parts of its containers' images. */
  readonly images?: readonly string[];
  /** Names of the Leases that its leader renews; `*` stands for anything. */
  readonly leases?: readonly string[];
}

/** What is known of one finalizer, or of a family of them. */
export interface KnownFinalizer {
  /** The finalizer; a `*` stands for anything. */
  readonly name: string;
  readonly setBy: FinalizerController;
  /** What would be lost or left behind without it. */
  readonly protects: string;
  /** What has to happen before its controller removes it. */
  readonly removedWhen: string;
  /** Where this can be read. */
  readonly source: string;
}
