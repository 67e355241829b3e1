import { usageError } from '../errors.ts';
import { didYouMean } from '../kube/names.ts';

const groups = ['everything', 'named', 'named/status'] as const;

/** Something that a command asks of the API server. */
export interface Need {
  /** What RBAC calls verbs. */
  readonly verbs: readonly string[];
  /**
   * Resources such as `leases.coordination.k8s.io`. `everything`: each kind that there is, in metadata and
   * for some kinds spec and status. `named`: the kinds that the command is about; `named/status`: of custom ones the status.
   */
  readonly on: readonly string[] | (typeof groups)[number];
  /** Only the objects of these names. */
  readonly names?: readonly string[];
  /** Only where this kind is among those that the command is about. */
  readonly about?: string;
}

interface OptionalNeeds {
  readonly flags: string;
  readonly needs: readonly Need[];
}

interface CommandPermissions {
  readonly needs: readonly Need[];
  /** It is about the whole cluster: roles in one namespace are not enough. */
  readonly isWhole?: true;
  readonly with?: Readonly<Record<string, OptionalNeeds>>;
}

function may(verbs: string, ...on: readonly string[]): Need {
  const group = groups.find((one) => one === on[0]);
  return { verbs: verbs.split(','), on: group ?? on };
}

function aboutKind(about: string, need: Need): Need {
  return { ...need, about };
}

const listEverything = may('list', 'everything');
const getNamed = may('get', 'named');
/** How the controllers are configured; without it, the defaults of Kubernetes count. */
const leader: Need = {
  ...may('get', 'leases.coordination.k8s.io'),
  names: ['kube-controller-manager'],
};
const kubeletSettings = may('get', 'nodes/proxy');
const readNodes = [may('get,list', 'nodes'), may('list', 'pods'), kubeletSettings];
const judgeEverything = [listEverything, leader];
const watch: OptionalNeeds = { flags: '--watch', needs: [may('watch', 'everything')] };
/** Pods are marked Failed before they are deleted, and their Node is read again. */
const endPods = [may('patch', 'pods/status'), may('get', 'nodes')].map((need) =>
  aboutKind('pods', need),
);
/** Whether another user may do something; without it, that is unknown. */
const reviewAccess = may('create', 'subjectaccessreviews.authorization.k8s.io');
const apiServices = 'apiservices.apiregistration.k8s.io';
const webhookConfigurations = 'validatingwebhookconfigurations.admissionregistration.k8s.io';

function reports(api: string, ...resources: readonly string[]): OptionalNeeds {
  const on = resources.map((resource) => `${resource}.${api}`);
  return { flags: `--policy-reports ${api}`, needs: [may('list,create,update,delete', ...on)] };
}

/**
 * What each command asks of the API server, besides discovery, which every user may ask: the one place that
 * says so. Roles are made from it, access is reviewed by it before `report` writes, and docs/permissions.md
 * shows it. Commands that are not here ask nothing.
 */
export const permissions: Readonly<Record<string, CommandPermissions>> = {
  status: {
    isWhole: true,
    needs: judgeEverything,
    with: { access: { flags: 'what the garbage collector may do', needs: [reviewAccess] } },
  },
  owners: { needs: [getNamed] },
  tree: { needs: [listEverything], with: { watch } },
  view: { needs: [may('list,watch', 'everything')] },
  orphans: { needs: [listEverything], with: { watch } },
  deleted: { needs: [listEverything, may('list', 'events')] },
  'invalid-ownerrefs': {
    needs: [listEverything, getNamed],
    with: { fix: { flags: '--fix', needs: [may('patch', 'named')] } },
  },
  audit: { needs: judgeEverything },
  report: {
    isWhole: true,
    needs: judgeEverything,
    with: {
      'wgpolicyk8s.io': reports('wgpolicyk8s.io', 'policyreports', 'clusterpolicyreports'),
      'openreports.io': reports('openreports.io', 'reports', 'clusterreports'),
    },
  },
  guard: {
    isWhole: true,
    needs: [may('list,watch', 'everything')],
    with: {
      certificate: {
        flags: 'without --tls-cert-file',
        needs: [{ ...may('get,patch', webhookConfigurations), names: ['kubectl-gc-guard'] }],
      },
    },
  },
  why: {
    // What a chain leads to may be of any kind: it is listed by its name.
    needs: [listEverything, getNamed],
    with: {
      watch,
      fix: {
        flags: '--fix',
        needs: [
          may('patch', 'named'),
          // Each is deleted only while what it needs does not exist.
          aboutKind('pods', may('delete', 'pods')),
          aboutKind('pods', may('get', 'nodes')),
          aboutKind(apiServices, may('delete', apiServices)),
          aboutKind(apiServices, may('get', 'services')),
          aboutKind('namespaces', may('update', 'namespaces/finalize')),
        ],
      },
    },
  },
  delete: {
    needs: [
      may('delete,get', 'named'),
      may('list,watch', 'everything'),
      leader,
      // Whether the kubelets answer that confirm the end of pods, else they are taken to; and the addresses of Services.
      may('get', 'nodes', 'ipaddresses.networking.k8s.io'),
    ],
  },
  restore: { needs: [may('get,create,patch', 'named'), may('patch', 'named/status')] },
  forecast: {
    isWhole: true,
    needs: judgeEverything,
    with: {
      kubelets: { flags: 'kubelets are asked', needs: [kubeletSettings] },
      watch,
      apply: { flags: '--apply', needs: [may('get,watch,patch,delete', 'named'), ...endPods] },
    },
  },
  'podgc-preview': {
    isWhole: true,
    needs: [may('list', 'pods', 'nodes', 'leases.coordination.k8s.io'), leader],
    with: {
      apply: {
        flags: '--apply',
        needs: [may('get,watch,delete', 'pods'), ...endPods, listEverything],
      },
    },
  },
  simulate: { isWhole: true, needs: [listEverything] },
  'snapshot save': {
    needs: judgeEverything,
    with: {
      nodes: { flags: '--nodes', needs: [kubeletSettings] },
      // Without these, the snapshot does not say who wrote, and what the garbage collector may do.
      managers: { flags: 'field managers, access', needs: [getNamed, reviewAccess] },
    },
  },
  'snapshot diff': { needs: judgeEverything },
  settings: { isWhole: true, needs: [may('list', 'pods', 'nodes'), leader, kubeletSettings] },
  images: { isWhole: true, needs: readNodes },
  containers: { isWhole: true, needs: readNodes },
};

/** The command that arguments begin with, and the kinds that follow; `snapshot save` has two words. */
export function commandOf(args: readonly string[]) {
  const [first, ...rest] = args;
  const both = args.slice(0, 2).join(' ');
  if (Object.hasOwn(permissions, both)) return { command: both, kinds: args.slice(2) };
  return { command: first, kinds: rest };
}

export function needsOf(command: string, options: readonly string[] = []): readonly Need[] {
  return [...permissionsOf(command).needs, ...optionalNeedsOf(command, options)];
}

function permissionsOf(command: string) {
  const known = Object.keys(permissions);
  const asked = permissions[command];
  if (asked) return asked;
  throw usageError(`"${command}" is not a command that asks a cluster, so it needs no role`, [
    ...didYouMean(command, known),
    `Commands that ask a cluster are: ${known.join(', ')}.`,
  ]);
}

/** What these of its options need beyond what the command needs without them. */
export function optionalNeedsOf(command: string, options: readonly string[]): readonly Need[] {
  const { with: optional = {} } = permissionsOf(command);
  return options.flatMap((option) => {
    const found = optional[option];
    if (found) return found.needs;
    const possible = Object.keys(optional);
    throw usageError(`--with "${option}" means nothing to ${command}`, [
      possible.length === 0
        ? `${command} needs no more for any of its flags.`
        : `It may be: ${possible.join(', ')}.`,
    ]);
  });
}

/** `leases.coordination.k8s.io` as RBAC and access reviews have it. */
export function splitResource(text: string): { readonly group: string; readonly resource: string } {
  const dot = text.indexOf('.');
  return dot < 0
    ? { group: '', resource: text }
    : { group: text.slice(dot + 1), resource: text.slice(0, dot) };
}
