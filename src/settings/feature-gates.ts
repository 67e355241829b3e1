import { goSyntaxFault, parseGoBool } from '../syntax/go-syntax.ts';
import type { Component } from './setting-definition.ts';

/** A feature gate that affects garbage collection. */
export interface FeatureGate {
  readonly name: string;
  readonly components: readonly Component[];
  /** Its default from each minor version of Kubernetes 1 on; off, or not known to it, before. */
  readonly history: readonly {
    readonly from: number;
    readonly on: boolean;
    readonly locked?: boolean;
    /** From this version on, it cannot be named any more. */
    readonly gone?: boolean;
  }[];
  readonly collectors: readonly string[];
  readonly rule: string;
  readonly means: string;
}

/** Name, components, stages with the minor version of Kubernetes 1 that began them, controllers, rule; what it means. */
const gateTable = `
  APIServerIdentity kube-apiserver,kube-controller-manager alpha:20,beta:26 apiserver-lease LEASE-5
    API servers have Leases, which are collected
  StorageVersionAPI kube-apiserver,kube-controller-manager alpha:20 apiserver-lease SVGC-1
    storage versions of deleted API servers are collected
  CoordinatedLeaderElection kube-apiserver alpha:31,alpha:33 apiserver-lease LEASE-6
    LeaseCandidates exist, and are collected
  OrderedNamespaceDeletion kube-controller-manager alpha:30,beta:33,final:34,gone:37 namespace GC-72
    a namespace's pods are deleted before anything else
  SeparateTaintEvictionController kube-controller-manager beta:29,final:34,gone:38 node-lifecycle NODE-8
    taint eviction can be turned off by itself
  DynamicResourceAllocation kube-controller-manager alpha:26,beta:34,final:35,gone:38 resourceclaim DRA-1
    ResourceClaims are generated and collected
  DRADeviceTaints kube-apiserver,kube-controller-manager alpha:33,beta:36,final:38 device-taint-eviction DEV-1
    devices have taints, and pods are evicted from them
  DRADeviceTaintRules kube-apiserver,kube-controller-manager alpha:35,beta:37,final:38 device-taint-eviction DEV-3
    DeviceTaintRules count, too
  DRAWorkloadResourceClaims kube-apiserver,kube-controller-manager alpha:36 resourceclaim DRA-4
    PodGroups have ResourceClaims, which are freed once their PodGroup is deleted
  DRAResourcePoolStatus kube-controller-manager alpha:36 resourceclaim RPS-1
    ResourcePoolStatusRequests are collected
  PodCertificateRequest kube-controller-manager alpha:34,beta:37 csr-cleaner CSR-8
    PodCertificateRequests are collected
  StatefulSetRecreateStrategy kube-apiserver,kube-controller-manager alpha:37,beta:38 statefulset-pvc-retention STS-6
    StatefulSets may delete all pods of an earlier template together
  HonorPVReclaimPolicy kube-controller-manager alpha:23,beta:31,final:33,gone:36 persistentvolume-reclaim PV-9
    what backs a volume goes with it, also where the volume is deleted before its claim
  ImageMaximumGCAge kubelet alpha:29,beta:30,final:35 image-gc CFG-5
    imageMaximumGCAge counts
  ImageVolume kubelet alpha:31,beta:35,final:36 image-gc CFG-5
    pods mount images, which keeps them
  KubeletSeparateDiskGC kubelet alpha:29,beta:31 image-gc,container-gc CFG-5
    images and writable layers may lie on different disks
  RuntimeClassInImageCriApi kubelet alpha:29 image-gc CFG-5
    images count once for each runtime class
  KubeletEnsureSecretPulledImages kubelet alpha:33,beta:35 image-gc CFG-5
    records of pulls are deleted with their images
`;

/** A final gate cannot be turned off any more. */
const stages: Readonly<Record<string, Omit<FeatureGate['history'][number], 'from'>>> = {
  alpha: { on: false },
  beta: { on: true },
  final: { on: true, locked: true },
  gone: { on: true, gone: true },
};

let read: readonly FeatureGate[] | undefined;

/** All of them. Few commands need them. */
export function featureGates(): readonly FeatureGate[] {
  read ??= gateTable
    .trim()
    .split(/\n {2}(?=\w)/)
    .map(gateOf);
  return read;
}

function gateOf(row: string): FeatureGate {
  const [words = '', means = ''] = row.split('\n').map((line) => line.trim());
  const [name = '', components = '', history = '', collectors = '', rule = ''] = words.split(' ');
  return {
    name,
    components: components.split(',') as Component[],
    history: history.split(',').map((stage) => {
      const [kind = '', from] = stage.split(':');
      return { from: Number(from), on: false, ...stages[kind] };
    }),
    collectors: collectors.split(','),
    rule,
    means,
  };
}

/** A gate's default in that minor version; undefined: the version does not have the gate, or no longer. */
export function gateIn(
  { history }: FeatureGate,
  minor: number,
): FeatureGate['history'][number] | undefined {
  const present = history.findLast(({ from }) => from <= minor);
  return present?.gone ? undefined : present;
}

/** `A=true,B=false`, and where the component is named, `kube:A=true`; or upstream's words for what is wrong. */
export function parseFeatureGates(text: string): {
  readonly gates: ReadonlyMap<string, boolean>;
  readonly problems: readonly string[];
} {
  const gates = new Map<string, boolean>();
  const problems: string[] = [];
  for (const entry of text.split(',')) {
    const written = entry.trim().replace(/^kube:/, '');
    if (written === '') continue;
    const equals = written.indexOf('=');
    const name = equals < 0 ? written : written.slice(0, equals).trim();
    if (equals < 0) {
      problems.push(`missing bool value for ${name}`);
      continue;
    }
    const value = written.slice(equals + 1).trim();
    const on = parseGoBool(value);
    if (on !== undefined) gates.set(name, on);
    else {
      const why = goSyntaxFault('ParseBool', value);
      problems.push(`invalid value of ${name}=${value}, err: ${why}`);
    }
  }
  return { gates, problems };
}

/** What upstream says of a gate that cannot be set so. */
export function gateFault(gate: FeatureGate, on: boolean, minor: number): string | undefined {
  const present = gateIn(gate, minor);
  if (present === undefined) return `unrecognized feature gate: ${gate.name}`;
  if (!present.locked || present.on === on) return undefined;
  return `cannot set feature gate ${gate.name} to ${on}, feature is locked to ${present.on}`;
}
