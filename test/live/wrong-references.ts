import { casesOf, rowsOf } from '../support/rows.ts';

/** A group whose APIService has no server behind it. */
export const brokenGroup = 'metrics.example.com';

/** By the rule that must find it: what the object refers to, in words and as it is staged, and what is deleted later. */
const cases = casesOf(`
missing-owner
  a deleted owner | v1 Secret gone
  a deleted owner, on a pod | Pod: v1 Secret gone
  a deleted owner, beside one that exists | owner; v1 Secret gone
  the same, on a custom resource | Widget: v1 Secret gone; owner
  a deleted owner, on an object that a finalizer blocks | v1 Secret gone; held
  a deleted Node, on a ClusterRole | ClusterRole: v1 Node n
  a list | v1 SecretList s
  a kind that can only be created | v1 Binding b
  a deleted owner, on an Event | Event: v1 Secret gone
  a deleted owner, beside a kind that is not served | v1 Secret gone; gone.example.com/v1 Gone it
  a deleted owner, beside a kind of a broken API | v1 Secret gone; ${brokenGroup}/v1 Metric m
  a deleted owner, beside one that exists and a kind of a broken API | v1 Secret gone; ${brokenGroup}/v1 Metric m; owner
owner-uid-mismatch
  an owner that was recreated | owner uid=uid-of-the-first
  an owner that was recreated, beside one that exists | rack; owner uid=uid-of-the-first
owner-name-mismatch
  a wrong name | owner name=nobody blocks | Foreground owner
  a wrong name, and rightly as well | owner name=nobody; owner
owner-kind-mismatch
  a wrong kind | owner kind=ConfigMap blocks | Foreground owner
  a Widget as a Node, on a ClusterRole | ClusterRole: widget apiVersion=v1 kind=Node blocks | Foreground widget
cross-namespace-owner
  an owner elsewhere | far blocks; +near | Foreground far
  an owner elsewhere, beside one here | far blocks; near | Foreground far
  an owner elsewhere, beside a kind that is not served | far blocks; +near; gone.example.com/v1 Gone it | Foreground far
namespaced-owner-of-cluster-object
  a Widget, on a ClusterRole | ClusterRole: widget | Foreground widget
  a Widget that it blocks, on a ClusterRole | ClusterRole: widget blocks | Foreground widget
  a deleted Secret, on a ClusterRole | ClusterRole: v1 Secret gone
unserved-owner-kind
  a kind that is not served | gone.example.com/v1 Gone it
  a kind that is not served, beside an owner that exists | owner; gone.example.com/v1 Gone it | Foreground owner
  a kind that is not served, beside an owner that it blocks | owner blocks; gone.example.com/v1 Gone it | Foreground owner
  a misspelt kind of an owner that it blocks | owner kind=SECRET blocks | Foreground owner
unserved-owner-version
  an old version of an owner | owner apiVersion=v1beta9 | Foreground owner
  an old version of an owner that it blocks | owner apiVersion=v1beta9 blocks | Foreground owner
  an old version of a deleted owner | v1 Secret gone apiVersion=v1beta9
several-controllers
  two controllers that exist | owner controls; other controls
  two controllers that exist, and a deleted owner | owner controls; other controls; v1 Secret gone
  a controller that exists and a deleted one | v1 Secret gone controls; owner controls
  two deleted controllers | v1 Secret gone controls; v1 Secret gone uid=uid-2 controls
duplicate-uid
  one uid, rightly and with a wrong name | owner; owner name=nobody
  one uid, rightly twice | owner; owner blocks | Foreground owner
  one uid, rightly and in an old version | owner blocks; owner apiVersion=v1beta9 | Foreground owner
self-owner
  itself | self | Foreground self
  itself, which it blocks | self blocks | Foreground self
  itself by a wrong name | self name=nobody | Foreground self
ownership-cycle
  a ring of two | ring 2 | Foreground self
  a ring of three that block each other | ring 3 blocks | Foreground self
  a ring of three that block each other, all being deleted in the foreground | ring 3 blocks deleted | Background self
orphaned-job-pods
  nothing; its Job was deleted | Pod: left by its Job
event-owner
  an Event | event apiVersion=events.k8s.io/v1
  an Event of the core group | event apiVersion=v1
  an Event that has expired | events.k8s.io/v1 Event e
`);

export const invalidReferences = cases.flatMap(([rule = '', ...rows]) =>
  rows.map((row) => {
    const [title = '', text = '', later] = row.split(' | ');
    return { rule, title, text, later };
  }),
);

/**
 * How a reference to an existing Secret is spelled, beside a reference to no object, which shows the outcome: alone it
 * is removed, with a dangling one the object is deleted, with an unresolvable one nothing happens. Then other objects.
 */
export const spellings = [
  ...rowsOf(`
another group | example.com/v1 Widget
lower case | v1 secret
upper case | v1 SECRET
mixed case | v1 sEcret
the plural | v1 secrets
a list | v1 SecretList
a list in lower case | v1 secretlist
a list of nothing | v1 List
a list of nothing in lower case | v1 list
a list of lists | v1 SecretListList
a kind that is only created | v1 Binding
a kind that only subresources have | autoscaling/v1 Scale
a version that is not served | v2 Secret
a group that is not served | gone.example.com/v1 Secret
an old group of a kind | extensions/v1beta1 Deployment
a version with an empty group | /v1 Secret
the internal version | __internal Secret
a malformed apiVersion | shop/v1/extra Secret
`).map(([title = '', spelling = '']) => {
    const [apiVersion, kind] = spelling.split(' ');
    return [title, `owner apiVersion=${apiVersion} kind=${kind}; v1 Secret gone`] as const;
  }),
  ...rowsOf(`
no apiVersion | owner apiVersion=; v1 Secret gone
no kind | owner kind=; v1 Secret gone
a version that is served but not preferred | scaler apiVersion=autoscaling/v1; v1 Secret gone
an owner in another namespace, and its namesake in this one | far; +owner
a cluster-scoped owner | gadget; v1 Secret gone
a cluster-scoped owner that is gone | v1 Node n
on a cluster-scoped object, a list of a namespaced kind | Gadget: v1 SecretList s
on a cluster-scoped object, a namespaced owner under a cluster-scoped kind | Gadget: widget apiVersion=v1 kind=Node
a kind without status, as any other | Secret: account; v1 ServiceAccount s
on a node, a deleted owner | Node: v1 Node n
`).map(([title = '', text = '']) => [title, text] as const),
];
