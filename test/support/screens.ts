const shop = '--from examples/clusters/shop.json.gz';
const stuck = '--from examples/clusters/stuck.yaml --complete --now 2026-01-31T12:00:00Z';
const incident =
  '--audit-log examples/audit/shop.log.gz --before examples/clusters/shop.json.gz --after examples/clusters/shop-later.json.gz';

/** Command lines whose whole first screens are in test/fixtures/screens, by the names of these files. */
export const screens: Readonly<Record<string, string>> = {
  audit: `audit ${shop} --fail-on never`,
  containers: 'containers --from examples/nodes/worker-1.txt --now 2026-01-31T12:00:00Z',
  deleted: `deleted -A ${incident}`,
  'deleted-object': `deleted pod/web-86864d7b59-kbp9b -n shop ${incident}`,
  'delete-preview': `delete deployment/web -n shop --preview ${shop}`,
  'delete-namespace': `delete namespace/shop --preview ${shop}`,
  'delete-compare': `delete deployment/web -n shop --preview --compare ${shop}`,
  forecast: `forecast ${shop}`,
  images: 'images --from examples/nodes/worker-1.txt --now 2026-01-31T12:00:00Z',
  'invalid-ownerrefs': `invalid-ownerrefs -A ${shop}`,
  orphans: `orphans -A ${shop}`,
  unmanaged: `orphans -A --unmanaged ${shop}`,
  owners: `owners pod/web-86864d7b59-68df5 -n shop ${shop}`,
  'podgc-preview': `podgc-preview -n shop ${shop}`,
  settings: 'settings --settings examples/settings/kube-controller-manager.yaml',
  simulate: `simulate --delete deployment/web -n shop ${shop}`,
  'simulate-all': `simulate --delete deployment/web -n shop --all-events ${shop}`,
  'snapshot-diff':
    'snapshot diff examples/clusters/shop.json.gz examples/clusters/shop-later.json.gz',
  'snapshot-info': 'snapshot info examples/clusters/shop.json.gz',
  status: `status ${shop}`,
  tree: `tree deployment/web -n shop ${shop}`,
  'tree-of-all': `tree deployments -A ${shop}`,
  'tree-of-namespace': `tree namespace/shop ${shop}`,
  why: `why namespace/orders ${stuck}`,
  'why-all': `why -A ${stuck}`,
};
